/** How Cytoscape draws nodes and edges. Borders, letters and headings are painted over it. */

import type cytoscape from "cytoscape";
import { DIMMED, type Palette } from "./decorations";
import { SMALLEST_LABEL } from "./labels";
import { BADGE_WIDTH, FONT_SIZE, NODE_HEIGHT } from "./placement";

// Cytoscape adds a style element of this id unless there is one, which the policy of the page forbids.
const STYLE_ID = "__________cytoscape_stylesheet";

/** To be called before the first drawing is made. */
export function keepFromAddingStyles(): void {
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
    { selector: "node.blank", style: { "background-color": palette.background } },
    { selector: "node.colored", style: { "background-color": "data(fill)", color: "data(ink)", "background-opacity": 1 } },
    { selector: "node.dimmed", style: { opacity: DIMMED } },
  ];
}

function nodeStyle(palette: Palette): cytoscape.Css.Node {
  return {
    shape: "rectangle",
    width: "data(width)",
    height: NODE_HEIGHT,
    label: "data(label)",
    "font-size": FONT_SIZE,
    "font-family": "system-ui, sans-serif",
    color: palette.text,
    "text-halign": "center",
    "text-valign": "center",
    "text-margin-x": BADGE_WIDTH / 2,
    "min-zoomed-font-size": SMALLEST_LABEL,
    "overlay-opacity": 0,
  };
}

// Some of these values are missing in the library's types.
const EDGE_STYLE = {
  width: 3,
  "curve-style": "unbundled-bezier",
  "edge-distances": "endpoints",
  "control-point-distances": "data(distances)",
  "control-point-weights": "data(weights)",
  "source-endpoint": "50% 0%",
  "target-endpoint": "-50% 0%",
  "target-arrow-shape": "triangle",
  "arrow-scale": 0.9,
  "overlay-opacity": 0,
  events: "no",
} as unknown as cytoscape.Css.Edge;
