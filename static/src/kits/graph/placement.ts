/** Where the nodes of a graph are drawn. Lengths are pixels at a zoom of 1. */

import type { TensorType } from "../../data/format/types";

export const FONT_SIZE = 13;

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

export const WIDE: Measures = {
  nodeHeight: 28,
  badgeWidth: 20,
  rowHeight: 42,
  columnGap: 48,
  width: 76,
  padding: 10,
  headingDistance: 12,
  margin: 28,
};

/** For a graph that would have to be too small otherwise: names as large, and less around them. */
export const CLOSE: Measures = {
  nodeHeight: 17,
  badgeWidth: 15,
  rowHeight: 21,
  columnGap: 24,
  width: 44,
  padding: 5,
  headingDistance: 5,
  margin: 16,
};

/** Pixels between the top of the view and the bottom of a heading that would be above it. */
export const HEADING_TOP = 22;

const LARGEST_FIT = 1.2;

/** A letter per type, so that colour is not the only sign. */
export const TYPE_LETTERS: Readonly<Record<TensorType, string>> = { input: "I", calculated: "C", target: "T", loss: "L", parameter: "P" };

/** A collapsed group of nodes. */
export interface Group {
  prefix: string;
  /** Ascending; those that are left out of the drawing are not among them. */
  members: number[];
  /** The type of its members, or calculated where they differ. */
  type: TensorType;
}

/** A node, or a collapsed group of nodes. */
export interface PlacedNode {
  /** Position in the graph; of a group, its number as an item. */
  node: number;
  id: string;
  /** The prefix of a group. */
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
  /** The width of its column with the gap behind it. */
  room: number;
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

/** The zoom at which all of a graph is in a view of this size. Columns are centred at a height of 0. */
export function fittingZoom(placement: Placement, size: { width: number; height: number }): number {
  const {
    measures: { margin },
    columns,
  } = placement;
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
