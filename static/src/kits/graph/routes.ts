/** The way of an edge round the nodes that it has nothing to do with. */

import type { PlacedColumn, PlacedNode, Placement } from "./placement";

/** Free room that an edge keeps from a node. */
const CLEARANCE = 5;

/** How far from a node an edge is level, as a part of the gap between columns. */
const LEVEL = 0.35;

/** Edges through the same gap lie side by side. */
const LANES = 3;
const LANE_DISTANCE = 3;

/** Columns past which an edge no longer bends round every node: it would be all bends. */
const LONGEST_ROUTE = 40;

/** Control points of an edge as Cytoscape wants them: distances from the straight line, and where along it. */
export interface Curve {
  distances: number[];
  weights: number[];
}

/** The curve from the right side of one node to the left side of another; `number` tells edges apart that have the same way. */
export function edgeCurve(from: PlacedNode, to: PlacedNode, placed: Pick<Placement, "measures" | "columns">, number: number): Curve {
  const start: Point = [from.x + from.width / 2, from.y];
  const end: Point = [to.x - to.width / 2, to.y];
  return curveThrough(start, end, wayPoints(start, end, placed, ((number % LANES) - 1) * LANE_DISTANCE));
}

/** The curve between two places that is led by points on its way. */
export function curveThrough([x0, y0]: Point, [x1, y1]: Point, points: readonly Point[]): Curve {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = Math.hypot(dx, dy) || 1;
  return {
    weights: points.map(([x, y]) => ((x - x0) * dx + (y - y0) * dy) / (length * length)),
    distances: points.map(([x, y]) => ((x - x0) * -dy + (y - y0) * dx) / length),
  };
}

export type Point = readonly [number, number];

/** Level out of the source, through a gap of every column on the way, and level into the target. */
function wayPoints(
  [x0, y0]: Point,
  [x1, y1]: Point,
  { measures, columns }: Pick<Placement, "measures" | "columns">,
  lane: number,
): Point[] {
  const { nodeHeight, columnGap } = measures;
  const level = columnGap * LEVEL;
  if (x1 <= x0) {
    return wayBack([x0, y0], [x1, y1], columns, nodeHeight, level);
  }
  const between = columns.filter((column) => column.left > x0 && column.right < x1);
  const points: Point[] = [[x0 + level, y0]];
  if (between.length <= LONGEST_ROUTE) {
    let y = y0;
    for (const { left, right, middles } of between) {
      y = freeHeight(y, y1, middles, nodeHeight);
      // Only a gap between nodes is certain to have room for lanes.
      const own = y === y0 ? y : y + lane;
      points.push([left - level, own], [left, own], [right, own], [right + level, own]);
    }
  }
  points.push([x1 - level, y1]);
  return points;
}

/** Over the top of all columns on the way: only groups that depend on one another in a circle have connections to the left. */
function wayBack([x0, y0]: Point, [x1, y1]: Point, columns: readonly PlacedColumn[], nodeHeight: number, level: number): Point[] {
  const onTheWay = columns.filter((column) => column.right > x1 && column.left < x0);
  const above = onTheWay.reduce((top, { middles }) => Math.min(top, middles[0] ?? top), Math.min(y0, y1)) - nodeHeight;
  return [
    [x0 + level, y0],
    [x0 + level, above],
    [x1 - level, above],
    [x1 - level, y1],
  ];
}

/** A height at which a column can be crossed: near `y`, and rather towards `goal` than away from it. */
export function freeHeight(y: number, goal: number, middles: readonly number[], nodeHeight: number): number {
  const reach = nodeHeight / 2 + CLEARANCE;
  const isFree = (height: number): boolean => middles.every((middle) => Math.abs(height - middle) >= reach);
  if (isFree(y)) {
    return y;
  }
  const candidates = middles.flatMap((middle, k) => {
    const [before, after] = [middles[k - 1], middles[k + 1]];
    return [before === undefined ? middle - reach : (before + middle) / 2, after === undefined ? middle + reach : (middle + after) / 2];
  });
  const detour = (height: number): number => Math.abs(height - y) + Math.abs(height - goal) / 2;
  return candidates.reduce((best, height) => (detour(height) < detour(best) ? height : best));
}
