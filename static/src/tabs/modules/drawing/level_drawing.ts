/** A level folded, laid out, and put into boxes and lines. */

import { BLOCK_HEIGHT } from "../../../kits/graph/badge_signs";
import { FINDING } from "../../../kits/graph/node_signs";
import { type Curve, curveThrough, type Point } from "../../../kits/graph/routes";
import { BADGE_WORDS, type Badge, sortedBadges } from "../../../state/badges/badges";
import { elided } from "../../../ui/text/format";
import type { ShownEdge, ShownLevel, ShownNode } from "../levels/displayed_level";
import { fold, type Item, joinedEdges } from "../levels/folding";
import { type FlowDirection, layOut, type PlacedLevel, type Size } from "./layout";

export interface DrawnItem extends Item {
  id: string;
  /** The first of its nodes, of which a single one consists. */
  node: ShownNode;
  title: string;
  subtitle: string;
  /** What is wrong with its nodes, the worst first. */
  badges: readonly Badge[];
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface DrawnEdge extends Curve {
  id: string;
  source: string;
  target: string;
  /** The start of an edge, the points that lead it, and its end. */
  points: readonly Point[];
  /** How often it occurred, where that is not always; else empty. */
  label: string;
  classes: readonly string[];
}

export interface DrawnLevel {
  level: ShownLevel;
  direction: FlowDirection;
  items: readonly DrawnItem[];
  /** Between items. */
  links: readonly ShownEdge[];
  edges: readonly DrawnEdge[];
  placed: PlacedLevel;
  /** By node of the level. */
  itemOf: readonly number[];
}

const BOX_HEIGHT = 44;
/** How far badges reach beyond the upper border of a box, which they stand on. */
export const BADGES_ABOVE = BLOCK_HEIGHT;
const LONGEST_TEXT = 34;
const NARROWEST = 84;
const PADDING = 14;
/** How far from a box a line that leads elsewhere keeps its direction. */
const STRAIGHT = 18;

/** `measure` gives the width of a text; `room` is what there is to draw on. */
export function drawLevel(level: ShownLevel, unfolded: readonly string[], room: Size, measure: (text: string) => number): DrawnLevel {
  const folded = fold(level.nodes, level.edges, unfolded);
  const links = joinedEdges(folded, level.edges, mergeEdges);
  const texts = folded.items.map((item) => itemTexts(level, item));
  const sizes = texts.map(([title, subtitle]) => ({
    width: Math.max(NARROWEST, Math.ceil(Math.max(measure(title), measure(subtitle))) + 2 * PADDING),
    height: BOX_HEIGHT,
  }));
  const isEnd = (item: number): boolean => level.nodes[folded.items[item]!.members[0]!]!.kind === "input";
  const placed = layOut(sizes, links, isEnd, room);
  const items = folded.items.map((item, k): DrawnItem => {
    const [title, subtitle] = texts[k]!;
    return {
      ...item,
      id: `i${k}`,
      node: level.nodes[item.members[0]!]!,
      title,
      subtitle,
      badges: sortedBadges(item.members.flatMap((member) => level.nodes[member]!.badges)),
      ...placed.positions[k]!,
      ...sizes[k]!,
    };
  });
  const edges = links.map((link, k) => drawnEdge(link, items, placed, k, level.steps));
  return { level, direction: placed.direction, items, links, edges, placed, itemOf: folded.itemOf };
}

/** The key of the folded item that an unfolded node would return to; undefined if there is none. */
export function foldedInto(level: ShownLevel, unfolded: readonly string[], node: number): string | undefined {
  const own = unfolded.filter((key) => level.nodes.some((other) => key.endsWith(other.key)));
  return own.find((key) => {
    const { items, itemOf } = fold(
      level.nodes,
      level.edges,
      own.filter((other) => other !== key),
    );
    const item = items[itemOf[node]!]!;
    return item.kind !== "single" && item.key === key;
  });
}

function mergeEdges(edge: ShownEdge, other: ShownEdge): ShownEdge {
  return {
    ...edge,
    carriesGradient: edge.carriesGradient || other.carriesGradient,
    direct: edge.direct && other.direct,
    // Several edges to one row of modules: it was read at least as often as by any of them.
    steps: Math.max(edge.steps, other.steps),
  };
}

function itemTexts(level: ShownLevel, item: Item): [string, string] {
  const { kind, members } = item;
  const [first, last] = [level.nodes[members[0]!]!, level.nodes[members.at(-1)!]!];
  // In words only what holds for all steps: a box is as large on each.
  const wrong = members.some((member) => level.nodes[member]!.badges.includes(FINDING)) ? [BADGE_WORDS[FINDING]] : [];
  const marks = [...wrong, ...first.marks, ...(first.steps < level.steps ? [`${first.steps} of ${level.steps} steps`] : [])];
  const joined = (...parts: string[]): string => elided(parts.filter((part) => part !== "").join(" \u00b7 "), LONGEST_TEXT);
  if (kind === "single") {
    return [elided(first.title, LONGEST_TEXT), joined(first.sort, ...marks)];
  }
  const range = elided(`${first.title} \u2013 ${last.title}`, LONGEST_TEXT);
  return kind === "row"
    ? [joined(`${first.sort} \u00d7 ${members.length}`, ...marks), range]
    : [joined(`${members.length} nodes`, ...wrong), range];
}

function drawnEdge(link: ShownEdge, items: readonly DrawnItem[], placed: PlacedLevel, k: number, steps: number): DrawnEdge {
  const [source, target] = [items[link.from]!, items[link.to]!];
  const isDown = placed.direction === "down";
  const out = (item: DrawnItem, side: number): Point =>
    isDown ? [item.x, item.y + (side * item.height) / 2] : [item.x + (side * item.width) / 2, item.y];
  const near = ([x, y]: Point, by: number): Point => (isDown ? [x, y + by] : [x + by, y]);
  const [start, end] = [out(source, 1), out(target, -1)];
  const half = isDown ? BOX_HEIGHT / 2 : NARROWEST / 2;
  const way = placed.ways[k]!.flatMap(({ x, y }): Point[] => [near([x, y], -half), near([x, y], half)]);
  const isRare = link.steps < steps;
  const classes = [
    placed.direction,
    ...(link.carriesGradient ? [] : ["without-gradient"]),
    ...(link.direct ? ["direct"] : []),
    ...(isRare ? ["rare"] : []),
  ];
  const controls = [near(start, STRAIGHT), ...way, near(end, -STRAIGHT)];
  return {
    id: `e${link.from}-${link.to}`,
    source: source.id,
    target: target.id,
    label: isRare ? `${link.steps} of ${steps}` : "",
    classes,
    points: [start, ...controls, end],
    ...curveThrough(start, end, controls),
  };
}

/** The item that an arrow key leads to: along the flow that of an edge, across it the next one of the layer. */
export function walkLevel({ placed, links, direction }: DrawnLevel, item: number, key: "left" | "right" | "up" | "down"): number {
  if (item < 0) {
    return placed.orders[0]?.[0] ?? -1;
  }
  const isAlong = direction === "down" ? key === "up" || key === "down" : key === "left" || key === "right";
  const isForward = key === "down" || key === "right";
  if (!isAlong) {
    const layer = placed.orders[placed.layers[item]!]!;
    return layer[layer.indexOf(item) + (isForward ? 1 : -1)] ?? item;
  }
  const others = links.flatMap(({ from, to }) => (isForward && from === item ? [to] : !isForward && to === item ? [from] : []));
  const [here, across] = [placed.positions[item]!, direction === "down" ? ("x" as const) : ("y" as const)];
  const distance = (other: number): number =>
    Math.abs(placed.layers[other]! - placed.layers[item]!) * 1e6 + Math.abs(placed.positions[other]![across] - here[across]);
  return others.reduce((best, other) => (best === item || distance(other) < distance(best) ? other : best), item);
}
