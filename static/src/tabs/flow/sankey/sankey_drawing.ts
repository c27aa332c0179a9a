/** The Sankey diagram as a drawing, for the page and for a file. Flows below zero are striped, whatever their colour. */

import type { Flow } from "../../../data/records/flows";
import { element, rounded, type SvgElement, textElement } from "../../../ui/figure/svg";
import { elided, indexText } from "../../../ui/text/format";
import { nodeName, ribbonInWords } from "../flow_text";
import { HEADING, NODE_WIDTH, type Ribbon, type Sankey, type SankeyNode } from "./sankey";
import { shortNames } from "./short_names";

interface SankeyColors {
  positive: string;
  negative: string;
  node: string;
  rest: string;
  selected: string;
  text: string;
  soft: string;
  background: string;
}

const SIZE = 11;
const LONGEST_HEADING = 40;
const SHORTEST_HEADING = 6;
/** How wide a character of a heading is, in wide fonts. */
const CHARACTER = 8;
const LONGEST_LABEL = 16;
/** How wide digits and what separates them are in a label, in wide fonts, and how far a label is from its node. */
const LABEL_DIGIT = 7.5;
const LABEL_SEPARATOR = 4;
const LABEL_DISTANCE = 4;
const THINNEST = 1;
const LEAST_NODE = 2;
const STRIPES = "5 3";
const DOTS = "1.5 2.5";

/** Reads the colours of the page, or of paper. */
export function sankeyColors(read: (name: string) => string): SankeyColors {
  return {
    positive: read("curve-1"),
    negative: read("curve-0"),
    node: read("text"),
    rest: read("control-line"),
    selected: read("selected"),
    text: read("text"),
    soft: read("text-soft"),
    background: read("surface"),
  };
}

/** Nodes and flows have their positions in `data-node` and `data-ribbon`. */
export function sankeyDrawing(flow: Flow, diagram: Sankey, colors: SankeyColors): SvgElement[] {
  const { columns, width } = diagram;
  // The first begins with the diagram, the last ends with it, and those between stand above their columns.
  const room = (width / Math.max(1, columns.length - 1)) * (columns.length <= 2 ? 1 / 2 : 2 / 3);
  const longest = Math.max(SHORTEST_HEADING, Math.min(LONGEST_HEADING, Math.floor((room - NODE_WIDTH) / CHARACTER)));
  const names = shortNames(
    columns.map((layer) => flow.layers[layer]!.name),
    longest,
  );
  const nodes = usedNodes(flow, diagram);
  return [
    ...columns.map((layer, column) => heading(flow.layers[layer]!.name, names[column]!, diagram, layer, column, colors)),
    element("g", { fill: "none" }, ...diagram.ribbons.map((ribbon, k) => ribbonElement(flow, diagram, ribbon, k, colors))),
    element(
      "g",
      { fill: colors.background, "data-plates": "", "pointer-events": "none" },
      ...nodes.filter(({ node }) => node.kind === "element").map(({ node, label, isLast }) => plate(node, label, isLast)),
    ),
    ...nodes.map(({ node, k, label, isLast }) => nodeElement(flow, node, k, label, isLast, colors)),
  ];
}

/** With the whole name as its title. */
function heading(
  name: string,
  short: string,
  { columns, width }: Sankey,
  layer: number,
  column: number,
  { text }: SankeyColors,
): SvgElement {
  const last = Math.max(1, columns.length - 1);
  const place = NODE_WIDTH - 2 + (column / last) * (width - 2 * NODE_WIDTH + 4);
  const anchor = column === 0 ? "start" : column === last ? "end" : "middle";
  return element(
    "g",
    { "data-heading": layer },
    element("title", {}, name),
    textElement(short, place, HEADING - 9, SIZE + 1, { "font-weight": 600, fill: text, "text-anchor": anchor }),
  );
}

function ribbonElement(flow: Flow, diagram: Sankey, ribbon: Ribbon, k: number, { positive, negative }: SankeyColors): SvgElement {
  const [source, target] = [diagram.nodes[ribbon.source]!, diagram.nodes[ribbon.target]!];
  const [x0, middle, x1] = [source.x1, (source.x1 + target.x0) / 2, target.x0].map(rounded);
  const [y0, y1] = [rounded(ribbon.y0), rounded(ribbon.y1)];
  const isRest = ribbon.kind === "others";
  return element(
    "path",
    {
      "data-ribbon": k,
      "data-sign": ribbon.flow > 0 ? "positive" : "negative",
      "data-kind": ribbon.kind,
      d: `M${x0},${y0}C${middle},${y0} ${middle},${y1} ${x1},${y1}`,
      stroke: ribbon.flow > 0 ? positive : negative,
      "stroke-width": Math.max(THINNEST, ribbon.width),
      "stroke-opacity": isRest ? 0.22 : 0.55,
      ...(ribbon.kind === "residual" ? { "stroke-dasharray": DOTS } : ribbon.flow < 0 ? { "stroke-dasharray": STRIPES } : {}),
    },
    element("title", {}, ribbonInWords(flow, diagram, ribbon)),
  );
}

interface LabelledNode {
  node: SankeyNode;
  /** Its position in the diagram. */
  k: number;
  label: string;
  /** Whether it is in the last column: its label stands to its left. */
  isLast: boolean;
}

function usedNodes(flow: Flow, { nodes, ribbons, columns }: Sankey): LabelledNode[] {
  const used = new Set(ribbons.flatMap(({ source, target }) => [source, target]));
  return nodes.flatMap((node, k) => {
    const label = node.kind === "element" ? indexText(node.element, flow.layers[node.layer]!.shape) : node.kind;
    return used.has(k)
      ? [{ node, k, label: elided(label, LONGEST_LABEL), isLast: node.layer === columns.at(-1) && columns.length > 1 }]
      : [];
  });
}

/** Behind the label of an element, from its node on: flows begin beyond it, so that none runs through the label. */
function plate({ x0, x1, y0, y1 }: SankeyNode, label: string, isLast: boolean): SvgElement {
  const separators = label.replace(/[^, ]/g, "").length;
  const width = 2 * LABEL_DISTANCE + separators * LABEL_SEPARATOR + (label.length - separators) * LABEL_DIGIT;
  return element("rect", { x: isLast ? x0 - width : x1, y: (y0 + y1 - SIZE) / 2, width, height: SIZE, rx: 2 });
}

function nodeElement(flow: Flow, node: SankeyNode, k: number, label: string, isLast: boolean, colors: SankeyColors): SvgElement {
  const { kind, x0, x1, y0, y1, isSelected } = node;
  return element(
    "g",
    { "data-node": k, "data-kind": kind },
    element("title", {}, nodeName(flow, node)),
    element("rect", {
      x: x0,
      y: y0,
      width: x1 - x0,
      height: Math.max(LEAST_NODE, y1 - y0),
      fill: isSelected ? colors.selected : kind === "element" ? colors.node : colors.background,
      stroke: isSelected ? colors.selected : kind === "element" ? colors.node : colors.rest,
      ...(kind === "element" ? {} : { "stroke-dasharray": "2 2" }),
    }),
    textElement(label, isLast ? x0 - LABEL_DISTANCE : x1 + LABEL_DISTANCE, (y0 + y1) / 2 + SIZE * 0.35, SIZE, {
      fill: kind === "element" ? colors.text : colors.soft,
      "text-anchor": isLast ? "end" : "start",
      ...(isSelected && { "font-weight": 700 }),
      stroke: colors.background,
      "stroke-width": 3,
      "stroke-linejoin": "round",
      "paint-order": "stroke",
    }),
  );
}
