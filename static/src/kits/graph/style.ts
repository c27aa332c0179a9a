/** How Cytoscape draws nodes and edges. Borders, letters and headings are painted over it. */

import cytoscape from "cytoscape";
import { DIMMED } from "./decorations";
import type { Palette } from "./palette";
import { FONT_SIZE } from "./placement";
import { letRest } from "./resting";

/** Of connections that only one of two graphs has. */
export const DIFFERENCE_CLASSES = { A: "only-in-a", B: "only-in-b" } as const;

/** Of nodes whose names are painted over them. */
export const UNLABELLED = "unlabelled";

// Cytoscape adds a style element of this id unless there is one, which the policy of the page forbids.
const STYLE_ID = "__________cytoscape_stylesheet";

/** An empty drawing, whose elements stay where they are put. */
export function createDrawing(container: HTMLElement, style: cytoscape.StylesheetJson): cytoscape.Core {
  keepFromAddingStyles();
  const cy = cytoscape({
    container,
    layout: { name: "preset" },
    minZoom: 0.05,
    maxZoom: 4,
    autoungrabify: true,
    autounselectify: true,
    boxSelectionEnabled: false,
    style,
  });
  letRest(cy);
  return cy;
}

function keepFromAddingStyles(): void {
  if (document.getElementById(STYLE_ID) === null) {
    const marker = document.createElement("meta");
    marker.id = STYLE_ID;
    document.head.append(marker);
  }
}

export function styleSheet(palette: Palette): cytoscape.StylesheetJson {
  const types = Object.keys(palette.fill) as (keyof Palette["fill"])[];
  return [
    { selector: "node", style: nodeStyle(palette) },
    { selector: "node.unrecorded", style: { "background-opacity": 0.35 } },
    { selector: "edge", style: EDGE_STYLE },
    { selector: "edge.thin", style: { width: 1, "arrow-scale": 0.7 } },
    { selector: "edge.without-gradient", style: { "line-style": "dashed", "line-dash-pattern": [7, 6] } },
    { selector: "edge.traced", style: { width: 1.5, "arrow-scale": 0.7 } },
    ...types.flatMap((type) => [
      { selector: `node[type = "${type}"]`, style: { "background-color": palette.fill[type] } },
      { selector: `edge[type = "${type}"]`, style: { "line-color": palette.line[type], "target-arrow-color": palette.line[type] } },
    ]),
    { selector: `edge.${DIFFERENCE_CLASSES.A}`, style: { width: 2.5 } },
    {
      selector: `edge.${DIFFERENCE_CLASSES.B}`,
      style: { width: 2.5, "line-style": "dotted", "line-color": palette.text, "target-arrow-color": palette.text },
    },
    { selector: `node.${UNLABELLED}`, style: { label: "" } },
    { selector: "node.blank", style: { "background-color": palette.background } },
    { selector: "node.colored", style: { "background-color": "data(fill)", color: "data(ink)", "background-opacity": 1 } },
    { selector: "node.dimmed", style: { opacity: DIMMED } },
  ];
}

function nodeStyle(palette: Palette): cytoscape.Css.Node {
  return { ...boxStyle(palette), "text-margin-x": (node) => (node.data("badgeWidth") as number) / 2 };
}

/** A box as large as its data say, with its label in its middle. */
export function boxStyle(palette: Palette): cytoscape.Css.Node {
  return {
    shape: "rectangle",
    width: "data(width)",
    height: "data(height)",
    label: "data(label)",
    "font-size": FONT_SIZE,
    "font-family": "system-ui, sans-serif",
    color: palette.text,
    "text-halign": "center",
    "text-valign": "center",
    "overlay-opacity": 0,
  };
}

/** An arrow through the control points in its data. Some of these values are missing in the library's types. */
export const ARROW_STYLE = {
  "curve-style": "unbundled-bezier",
  "edge-distances": "endpoints",
  "control-point-distances": "data(distances)",
  "control-point-weights": "data(weights)",
  "target-arrow-shape": "triangle",
  "arrow-scale": 0.9,
  "overlay-opacity": 0,
  events: "no",
} as unknown as cytoscape.Css.Edge;

const EDGE_STYLE: cytoscape.Css.Edge = { ...ARROW_STYLE, width: 3, "source-endpoint": "50% 0%", "target-endpoint": "-50% 0%" };
