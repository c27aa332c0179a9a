/** Names at a size that can be read when the graph is too small for the labels of its nodes. */

import { elided } from "../../ui/text/format";
import { FONT_SIZE, type PlacedNode, type Placement } from "./placement";

/** How a node stands out. */
export type Emphasis = "selected" | "neighbour" | "none";

/** Pixels on the screen: nothing that is to be read is smaller. */
export const LABEL_SIZE = 11;

/** Pixels on the screen: with names smaller than that on its nodes, most names would have to be shortened. */
const SMALLEST_CLOSE = 8.5;

const PADDING = 3;

/** Nodes lower than that have their names below them where they are alone in their column. */
const LOWEST_NODE = 15;

/** A name beside the badge of its node may reach so far into the gap behind the node: a part of the gap. */
const SPILL = 0.8;

/** A name is not shortened to less: over nodes that are so small, it stands for what is around it. */
const SHORTEST_NAME = 6;

/** Whether labels can be read on their nodes; else they are painted at `LABEL_SIZE`, where there is room. */
export function areLabelsReadable(zoom: number): boolean {
  return FONT_SIZE * zoom >= LABEL_SIZE;
}

/** Whether names have room on the nodes of a close drawing, even if they are painted over them. */
export function fitsClose(zoom: number): boolean {
  return FONT_SIZE * zoom >= SMALLEST_CLOSE;
}

export interface Label {
  text: string;
  /** The middle of it, in pixels on the screen. */
  x: number;
  y: number;
  width: number;
  isHeading: boolean;
  node: number;
  isOnNode: boolean;
  /** Whether it lies over the badge of its node. */
  hidesBadge: boolean;
}

interface Screen {
  pan: { x: number; y: number };
  zoom: number;
  width: number;
  height: number;
}

/**
 * The names that are drawn, none of them over another one: that of the selected node first, then those of its neighbours, of groups, of
 * columns, and of other nodes. Dimmed nodes have none. A name that lies on its node is beside the badge, shortened to the room there. Only
 * if too little would be left of it, it lies over the badge. A heading is shortened to the width of its column.
 */
export function readableLabels(
  placement: Placement,
  emphasisOf: (node: number) => Emphasis,
  isDimmed: (node: number) => boolean,
  screen: Screen,
): Label[] {
  const { pan, zoom, width, height } = screen;
  const scale = LABEL_SIZE / FONT_SIZE;
  const nodeHeight = placement.measures.nodeHeight * zoom;
  const spill = placement.measures.columnGap * SPILL * zoom;
  const below = (nodeHeight + LABEL_SIZE) / 2 + PADDING;
  // Between the nodes of a column there is no room for names: there each is on its own node, so that it is clear whose it is.
  const alone = new Set(
    nodeHeight < LOWEST_NODE
      ? placement.columns.filter(({ middles }) => middles.length === 1).map(({ left, right }) => (left + right) / 2)
      : [],
  );
  /** The possible places of a name, the best first. */
  const placesOf = ({ node, label, x, y, labelWidth, width: own, badgeWidth }: PlacedNode): Label[] => {
    const [wide, letters] = [labelWidth * scale, label.length];
    const [room, badge] = [own * zoom, badgeWidth * zoom];
    const besideBadge = room - badge + spill;
    const isBeside = wide <= besideBadge || keptOf(letters, wide, besideBadge) >= SHORTEST_NAME;
    const most = isBeside ? besideBadge : room;
    const kept = keptOf(letters, wide, most);
    const isShortened = wide > most && kept >= SHORTEST_NAME;
    const shown = isShortened ? most : wide;
    // In the middle of its room, or, without enough of that, from the badge on.
    const left = isBeside ? badge + Math.max(0, (room - badge - shown) / 2) - (room - shown) / 2 : 0;
    const place = {
      text: isShortened ? elided(label, kept) : label,
      x: x * zoom + pan.x + left,
      y: y * zoom + pan.y,
      width: shown,
      isHeading: false,
      node,
      isOnNode: true,
      hidesBadge: !isBeside,
    };
    return alone.has(x)
      ? [{ ...place, text: label, x: x * zoom + pan.x, y: place.y + below, width: wide, isOnNode: false, hidesBadge: false }, place]
      : [place];
  };
  const nodes = placement.nodes.filter(({ node }) => !isDimmed(node) || emphasisOf(node) === "selected");
  const ranks: Readonly<Record<string, number>> = { selected: 0, neighbour: 1 };
  const rank = ({ node, group }: PlacedNode): number => ranks[emphasisOf(node)] ?? (group === null ? 4 : 2);
  const headings = placement.headings.map(({ text, full, x, y, width: own, room }) => {
    const letter = (own * scale) / text.length;
    const most = Math.floor((room * zoom - PADDING) / letter);
    const shown = most < text.length && most >= SHORTEST_NAME ? shortHeading(full, most) : text;
    return {
      rank: 3,
      places: [
        {
          text: shown,
          x: x * zoom + pan.x,
          y: Math.min(y * zoom - nodeHeight / 4, y * zoom - LABEL_SIZE / 2) + pan.y,
          width: letter * shown.length,
          isHeading: true,
          node: -1,
          isOnNode: false,
          hidesBadge: false,
        },
      ],
    };
  });
  const candidates = [...nodes.map((node) => ({ rank: rank(node), places: placesOf(node) })), ...headings].sort((a, b) => a.rank - b.rank);
  const isInView = ({ x, y }: Label): boolean => x > 0 && x < width && y > 0 && y < height;
  return withoutOverlap(candidates.map(({ places }) => places.filter(isInView)));
}

/** How many of the characters of a text have room in a part of its width. */
function keptOf(characters: number, wide: number, room: number): number {
  return Math.floor((characters * room) / wide);
}

/** So many characters of a heading at most. Its last parts tell columns apart. */
export function shortHeading(full: string, most: number): string {
  if (full.length <= most) {
    return full;
  }
  let rest = full;
  while (rest.length >= most && rest.indexOf(".") < rest.length - 1) {
    rest = rest.slice(rest.indexOf(".") + 1);
  }
  return `\u2026${rest.slice(-Math.max(2, most - 1))}`;
}

/** Places the most important labels first, each at its first place that covers no earlier label. Drops those without a place. */
function withoutOverlap(labels: readonly (readonly Label[])[]): Label[] {
  const kept: Label[] = [];
  const overlaps = (a: Label, b: Label): boolean =>
    Math.abs(a.y - b.y) < LABEL_SIZE + PADDING && Math.abs(a.x - b.x) < (a.width + b.width) / 2 + PADDING;
  for (const places of labels) {
    const free = places.find((label) => !kept.some((other) => overlaps(other, label)));
    if (free !== undefined) {
      kept.push(free);
    }
  }
  return kept;
}
