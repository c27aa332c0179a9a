/** Where the nodes of a graph are drawn. Lengths are pixels at a zoom of 1. */

import type { Graph, TensorType } from "../../data/format/types";
import { elided } from "../../ui/text/format";
import type { Window } from "../../tabs/tensors/graph/layout/columns";
import type { Group } from "../../tabs/tensors/graph/layout/items";
import { hasEnds, type Layout } from "../../tabs/tensors/graph/layout/layout";

export const FONT_SIZE = 13;
const LONGEST_LABEL = 28;

/** How large nodes are, and how far apart. */
export interface Measures {
  nodeHeight: number;
  badgeWidth: number;
  rowHeight: number;
  columnGap: number;
  /** Of the narrowest node. */
  width: number;
  /** Beside a label. */
  padding: number;
  /** Between a heading and its column. */
  headingDistance: number;
  /** Around a graph that fits into the view, in pixels of the screen. */
  margin: number;
}

export const WIDE: Measures = { nodeHeight: 28, badgeWidth: 20, rowHeight: 42, columnGap: 48, width: 76, padding: 10, headingDistance: 12, margin: 28 };

/** For a graph that would have to be too small otherwise: names as large, and less around them. */
export const CLOSE: Measures = { nodeHeight: 17, badgeWidth: 15, rowHeight: 21, columnGap: 24, width: 44, padding: 5, headingDistance: 5, margin: 16 };

/** Pixels between the top of the view and the bottom of a heading that would be above it. */
export const HEADING_TOP = 22;

const LARGEST_FIT = 1.2;

/** A letter per type, so that colour is not the only sign. */
export const TYPE_LETTERS: Readonly<Record<TensorType, string>> = { input: "I", calculated: "C", target: "T", loss: "L", parameter: "P" };

/** A node, or a collapsed group of nodes. */
export interface PlacedNode {
  /** Position in the graph; of a group, its number as an item. */
  node: number;
  id: string;
  /** Of a group, its prefix. */
  name: string;
  label: string;
  labelWidth: number;
  type: TensorType;
  group: Group | null;
  x: number;
  y: number;
  width: number;
  height: number;
  badgeWidth: number;
  /** Drawn dotted: nothing it depends on, nothing that depends on it. */
  dottedLeft: boolean;
  dottedRight: boolean;
}

export interface PlacedHeading {
  x: number;
  /** Bottom of its text. */
  y: number;
  text: string;
  full: string;
  width: number;
}

export interface Placement {
  measures: Measures;
  nodes: PlacedNode[];
  headings: PlacedHeading[];
  /** From left to right; what lies in the way of an edge. */
  columns: PlacedColumn[];
}

export interface PlacedColumn {
  left: number;
  right: number;
  /** Heights of the middles of its nodes, ascending. */
  middles: number[];
}

/** Places the nodes and groups of a window in centred columns as wide as their labels. `measure` gives the width of a text. */
export function placeGraph(graph: Graph, layout: Layout, window: Window, measure: (text: string) => number, measures: Measures = WIDE): Placement {
  const { name, type } = graph.nodes;
  const { nodeHeight, badgeWidth, rowHeight, columnGap, padding, headingDistance } = measures;
  const nodes: PlacedNode[] = [];
  const headings: PlacedHeading[] = [];
  const columns: PlacedColumn[] = [];
  let left = 0;
  for (const [place, members] of window.columns.entries()) {
    const labels = members.map((item) => elided(layout.labelOf(item), LONGEST_LABEL));
    const widths = labels.map((text) => Math.ceil(measure(text)));
    const width = widths.reduce((most, own) => Math.max(most, own + badgeWidth + 2 * padding), measures.width);
    const x = left + width / 2;
    const top = -((members.length - 1) * rowHeight) / 2;
    members.forEach((item, k) => {
      const group = layout.items.groups.get(item) ?? null;
      const ownType = group?.type ?? type[item]!;
      const has = hasEnds(graph, layout, item);
      nodes.push({
        node: item,
        id: `n${item}`,
        name: group?.prefix ?? name[item]!,
        label: labels[k]!,
        labelWidth: widths[k]!,
        type: ownType,
        group,
        x,
        y: top + k * rowHeight,
        width,
        height: nodeHeight,
        badgeWidth,
        dottedLeft: ownType !== "parameter" && !has.dependencies,
        dottedRight: ownType !== "parameter" && !has.dependents,
      });
    });
    columns.push({ left, right: left + width, middles: members.map((_, k) => top + k * rowHeight) });
    const full = layout.headings[window.numbers[place]!] ?? "";
    if (full !== "") {
      const text = fitted(full, width + columnGap - Math.min(16, columnGap / 3), measure);
      headings.push({ x, y: top - nodeHeight / 2 - headingDistance, text, full, width: measure(text) });
    }
    left += width + columnGap;
  }
  return { measures, nodes, headings, columns };
}

/** The zoom at which all of a graph is in a view of this size. Columns are centred at a height of 0. */
export function fittingZoom(placement: Placement, size: { width: number; height: number }): number {
  const { measures: { margin }, columns } = placement;
  const width = (columns[columns.length - 1]?.right ?? 0) - (columns[0]?.left ?? 0);
  const { top, bottom, above, below } = uprightExtent(placement);
  return Math.min(LARGEST_FIT, (size.width - 2 * margin) / Math.max(1, width), (size.height - above - below) / Math.max(1, bottom - top));
}

/** The graph from its highest heading to its lowest node, and what is kept free above and below it, in pixels of the screen. */
export function uprightExtent({ measures, nodes, headings }: Placement): { top: number; bottom: number; above: number; below: number } {
  const bottom = nodes.reduce((lowest, { y }) => Math.max(lowest, y), 0) + measures.nodeHeight / 2;
  const [heading, above] = headings.length > 0 ? [measures.headingDistance, Math.max(HEADING_TOP, measures.margin)] : [0, measures.margin];
  return { top: -bottom - heading, bottom, above, below: measures.margin };
}

function fitted(text: string, width: number, measure: (text: string) => number): string {
  const size = measure(text);
  return size <= width ? text : elided(text, Math.max(3, Math.floor((text.length * width) / size)));
}
