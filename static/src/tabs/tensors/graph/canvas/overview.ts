/** Where everything is in a small picture of the whole graph: a dot for every node and group, by its column and its height. */

import type { PlacedColumn, PlacedNode, Placement } from "../../../../kits/graph/placement";
import type { VisiblePart } from "../../../../kits/graph/viewport";
import type { Window } from "../layout/columns";

type Columns = readonly (readonly number[])[];

/** Numbers of columns from left to right, and rows from the middle of the columns, downwards. */
export interface Place {
  column: number;
  row: number;
}

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The rows of the highest column. */
export function highest(columns: Columns): number {
  return columns.reduce((most, column) => Math.max(most, column.length), 1);
}

/** Which part of all columns is in view. */
export function frameOf(part: VisiblePart, columns: Columns, window: Window, placement: Placement): Frame {
  const [left, right] = [columnAt(part.left, window, placement.columns), columnAt(part.right, window, placement.columns)];
  const shift = shiftOf(Math.round((left + right) / 2), columns, window);
  return { left, right, top: part.top / placement.measures.rowHeight + shift, bottom: part.bottom / placement.measures.rowHeight + shift };
}

/** The free pixels below the nodes in the lower right corner of the view, over a `width` in pixels. */
export function roomBelow(part: VisiblePart, nodes: readonly PlacedNode[], width: number, zoom: number): number {
  const left = part.right - width / zoom;
  const isThere = ({ x, y, width: own, height }: PlacedNode): boolean =>
    x + own / 2 > left && x - own / 2 < part.right && y - height / 2 < part.bottom;
  const lowest = nodes.filter(isThere).reduce((bottom, { y, height }) => Math.max(bottom, y + height / 2), part.top);
  return Math.max(0, (part.bottom - lowest) * zoom);
}

/** What a place in the picture is nearest to: a node or group, and where the graph draws that place, if it does. */
export function targetOf(
  { column, row }: Place,
  columns: Columns,
  window: Window,
  placement: Placement,
): { item: number; at: { x: number; y: number } | null } {
  const number = Math.max(0, Math.min(columns.length - 1, Math.round(column)));
  const own = columns[number] ?? [];
  const item = own[Math.max(0, Math.min(own.length - 1, Math.round(row + (own.length - 1) / 2)))] ?? -1;
  const place = window.numbers.indexOf(number);
  const placed = placement.columns[place];
  if (placed === undefined || !window.shown.has(item)) {
    return { item, at: null };
  }
  const share = Math.max(-0.5, Math.min(0.5, column - number));
  const x = middleOf(placed) + share * (placed.right - placed.left);
  return { item, at: { x, y: (row - shiftOf(number, columns, window)) * placement.measures.rowHeight } };
}

function middleOf({ left, right }: PlacedColumn): number {
  return (left + right) / 2;
}

/** The number of the column at a distance from the left, with a fraction between the middles of two. */
function columnAt(x: number, { numbers }: Window, placed: readonly PlacedColumn[]): number {
  const after = placed.findIndex((column) => middleOf(column) > x);
  const first = Math.max(0, Math.min(placed.length - 2, (after < 0 ? placed.length : after) - 1));
  const [before, two] = [placed[first], placed[first + 1]];
  if (before === undefined || two === undefined) {
    const width = before === undefined ? 1 : before.right - before.left;
    return (numbers[0] ?? 0) + (before === undefined ? 0 : (x - middleOf(before)) / width);
  }
  return numbers[first]! + (x - middleOf(before)) / (middleOf(two) - middleOf(before));
}

/** How many rows the drawn part of a column lies below its place in the whole column; not 0 only if rows are left out. */
function shiftOf(number: number, columns: Columns, window: Window): number {
  const place = window.numbers.indexOf(number);
  const drawn = window.columns[place];
  return drawn === undefined ? 0 : window.above[place]! + (drawn.length - 1) / 2 - (columns[number]!.length - 1) / 2;
}
