/** How Cytoscape draws a level. */

import type cytoscape from "cytoscape";
import { BLOCK_HEIGHT, badgeBlocks, badgesWidth } from "../../../kits/graph/badge_signs";
import type { Palette } from "../../../kits/graph/palette";
import { FONT_SIZE } from "../../../kits/graph/placement";
import { ARROW_STYLE, boxStyle } from "../../../kits/graph/style";
import type { Badge } from "../../../state/badges/badges";
import { element, svgFile } from "../../../ui/figure/svg";
import { BADGES_ABOVE } from "./level_drawing";

/** Pixels on the screen: smaller letters are only noise. */
const SMALLEST_TEXT = 6;

export function moduleStyles(palette: Palette): cytoscape.StylesheetJson {
  const filled = (fill: string, line: string): cytoscape.Css.Node => ({ "background-color": fill, "border-color": line });
  return [
    { selector: "node", style: nodeStyle(palette) },
    { selector: "node.call", style: filled(palette.background, palette.line.calculated) },
    { selector: "node.openable", style: { ...filled(palette.fill.calculated, palette.line.calculated), "border-width": 2 } },
    { selector: "node.input", style: { ...filled(palette.fill.input, palette.line.input), shape: "round-rectangle" } },
    { selector: "node.output", style: { ...filled(palette.fill.target, palette.line.target), shape: "round-rectangle" } },
    {
      selector: "node.outside",
      style: { ...filled(palette.background, palette.line.input), "border-style": "dashed", shape: "round-rectangle" },
    },
    {
      selector: "node.inside",
      style: { ...filled(palette.background, palette.line.calculated), "border-style": "dashed", shape: "round-rectangle" },
    },
    { selector: "node.tensor", style: { ...filled(palette.fill.calculated, palette.line.calculated), shape: "round-rectangle" } },
    {
      selector: "node.row, node.rest",
      style: {
        ...filled(palette.fill.calculated, palette.line.calculated),
        "border-width": 5,
        "border-style": "double",
        shape: "rectangle",
      },
    },
    { selector: "node.raised", style: { "border-color": palette.bad, "border-width": 3 } },
    { selector: "node.badged", style: badgedStyle(palette) },
    { selector: "node.neighbour", style: { "border-color": palette.neighbour } },
    { selector: "node.selected", style: { "border-color": palette.selected, "border-width": 3.5 } },
    { selector: "edge", style: edgeStyle(palette) },
    { selector: "edge.down", style: endpoints("0% 50%", "0% -50%") },
    { selector: "edge.right", style: endpoints("50% 0%", "-50% 0%") },
    { selector: "edge.direct", style: { "line-color": palette.line.input, "target-arrow-color": palette.line.input } },
    { selector: "edge.without-gradient", style: { "line-style": "dashed", "line-dash-pattern": [7, 6] } },
    { selector: "edge.rare", style: { width: 1.25, "line-style": "dashed", "line-dash-pattern": [2, 4] } },
    { selector: "edge.selected", style: { "line-color": palette.neighbour, "target-arrow-color": palette.neighbour } },
  ];
}

function nodeStyle(palette: Palette): cytoscape.Css.Node {
  return {
    ...boxStyle(palette),
    "border-width": 1.25,
    "text-wrap": "wrap",
    "text-max-width": "1000px",
    "line-height": 1.25,
    "min-zoomed-font-size": SMALLEST_TEXT,
  };
}

/** The badges on the upper left corner, where they cover no text. */
function badgedStyle(palette: Palette): cytoscape.Css.Node {
  const badgesOf = (node: cytoscape.NodeSingular): readonly Badge[] => node.data("badges") as readonly Badge[];
  const image = (node: cytoscape.NodeSingular): string => {
    const own = badgesOf(node);
    const drawn = svgFile(element("svg", { width: badgesWidth(own), height: BLOCK_HEIGHT }, badgeBlocks(own, 0, 0, palette)));
    return `data:image/svg+xml;utf8,${encodeURIComponent(drawn)}`;
  };
  return {
    "background-image": image,
    "background-width": (node) => `${badgesWidth(badgesOf(node))}px`,
    "background-height": `${BLOCK_HEIGHT}px`,
    "background-position-x": "0%",
    "background-position-y": "0%",
    "background-offset-y": `${-BADGES_ABOVE}px`,
    "background-clip": "none",
    "bounds-expansion": `${BADGES_ABOVE}px`,
  } as cytoscape.Css.Node;
}

function edgeStyle(palette: Palette): cytoscape.Css.Edge {
  return {
    ...ARROW_STYLE,
    width: 2,
    "line-color": palette.line.calculated,
    "target-arrow-color": palette.line.calculated,
    label: "data(label)",
    "font-size": FONT_SIZE - 2,
    "font-family": "system-ui, sans-serif",
    color: palette.text,
    "text-background-color": palette.background,
    "text-background-opacity": 1,
    "text-background-padding": "2px",
  };
}

function endpoints(source: string, target: string): cytoscape.Css.Edge {
  return { "source-endpoint": source, "target-endpoint": target } as unknown as cytoscape.Css.Edge;
}
