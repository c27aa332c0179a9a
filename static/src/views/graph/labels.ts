/** Names at a size that can be read when the graph is too small for the labels of its nodes. */

import type { Emphasis } from "./decorations";
import { FONT_SIZE, NODE_HEIGHT, type PlacedNode, type Placement } from "./placement";

/** Below this size on the screen, labels are drawn at `LABEL_SIZE` instead, where there is room. */
export const SMALLEST_LABEL = 9;

/** Pixels on the screen. */
export const LABEL_SIZE = 11;

const PADDING = 3;

/** Nodes lower than that have their names below them where they are alone in their column. */
const LOWEST_NODE = 15;

export interface Label {
  text: string;
  /** The middle of it, in pixels on the screen. */
  x: number;
  y: number;
  width: number;
  isHeading: boolean;
  node: number;
}

export interface Screen {
  pan: { x: number; y: number };
  zoom: number;
  width: number;
  height: number;
}

/**
 * The names that are drawn, none of them over another one: that of the selected node first, then those of its neighbours, of groups, of
 * columns, and of other nodes. Dimmed nodes have none.
 */
export function readableLabels(placement: Placement, emphasisOf: (node: number) => Emphasis, isDimmed: (node: number) => boolean, screen: Screen): Label[] {
  const { pan, zoom, width, height } = screen;
  const scale = LABEL_SIZE / FONT_SIZE;
  const nodeHeight = NODE_HEIGHT * zoom;
  const below = nodeHeight < LOWEST_NODE ? (nodeHeight + LABEL_SIZE) / 2 + PADDING : 0;
  // Between the nodes of a column there is no room for names: there each is on its own node, so that it is clear whose it is.
  const inColumn = new Map<number, number>();
  for (const { x } of placement.nodes) {
    inColumn.set(x, (inColumn.get(x) ?? 0) + 1);
  }
  const ofNode = ({ node, label, x, y, labelWidth }: PlacedNode): Label => ({
    text: label,
    x: x * zoom + pan.x,
    y: y * zoom + pan.y + (inColumn.get(x) === 1 ? below : 0),
    width: labelWidth * scale,
    isHeading: false,
    node,
  });
  const nodes = placement.nodes.filter(({ node }) => !isDimmed(node) || emphasisOf(node) === "selected");
  const rank = ({ node, group }: PlacedNode): number => (emphasisOf(node) === "selected" ? 0 : emphasisOf(node) === "neighbour" ? 1 : group !== null ? 2 : 4);
  const headings = placement.headings.map(({ text, x, y, width: own }) => ({
    rank: 3,
    label: { text, x: x * zoom + pan.x, y: Math.min((y - NODE_HEIGHT / 4) * zoom, y * zoom - LABEL_SIZE / 2) + pan.y, width: own * scale, isHeading: true, node: -1 },
  }));
  const candidates = [...nodes.map((node) => ({ rank: rank(node), label: ofNode(node) })), ...headings].sort((a, b) => a.rank - b.rank);
  const inView = candidates.filter(({ label: { x, y } }) => x > 0 && x < width && y > 0 && y < height);
  return withoutOverlap(inView.map(({ label }) => label));
}

/** Those of some labels, the most important ones first, that do not lie over an earlier one. */
export function withoutOverlap(labels: readonly Label[]): Label[] {
  const kept: Label[] = [];
  const overlaps = (a: Label, b: Label): boolean => Math.abs(a.y - b.y) < LABEL_SIZE + PADDING && Math.abs(a.x - b.x) < (a.width + b.width) / 2 + PADDING;
  for (const label of labels) {
    if (!kept.some((other) => overlaps(other, label))) {
      kept.push(label);
    }
  }
  return kept;
}
