/** The grid of columns that a graph is laid out in. */

import { oncePer } from "../../../../data/collections";
import type { Graph } from "../../../../data/format/types";
import type { Direction } from "../../../../kits/graph/arrow_keys";

type Columns = readonly (readonly number[])[];

/** The nodes of every column, from top to bottom, where nothing is collapsed. */
export const columnsOf = oncePer(({ columns, nodes }: Graph): Columns => {
  const all: number[][] = columns.heading.map(() => []);
  nodes.column.forEach((column, node) => all[column]?.push(node));
  all.forEach((column) => column.sort((a, b) => nodes.row[a]! - nodes.row[b]!));
  return all.filter((column) => column.length > 0);
});

/** What is next to a node or group, round the edges of the grid. Columns are centred, so sideways means the row at the same height. */
export function walk(columns: Columns, from: number, direction: Direction): number {
  const number = Math.max(
    0,
    columns.findIndex((column) => column.includes(from)),
  );
  const column = columns[number] ?? [];
  const row = Math.max(0, column.indexOf(from));
  if (direction === "up" || direction === "down") {
    const next = (row + (direction === "down" ? 1 : -1) + column.length) % Math.max(1, column.length);
    return column[next] ?? from;
  }
  const target = columns[(number + (direction === "right" ? 1 : -1) + columns.length) % Math.max(1, columns.length)] ?? column;
  const height = row - (column.length - 1) / 2 + (target.length - 1) / 2;
  return target[Math.max(0, Math.min(target.length - 1, Math.round(height)))] ?? from;
}

/** The part of a graph that is drawn: some columns, some of them in part. */
export interface Window {
  columns: Columns;
  /** The number of each of them among all columns, and how many of its rows above are left out. */
  numbers: readonly number[];
  above: readonly number[];
  shown: ReadonlySet<number>;
  complete: boolean;
}

/**
 * The part of the columns around a node or group: whole columns to both sides as long as there is room. A column that is too long shows the
 * rows around it. Stays with `before` as long as that shows it and its neighbouring columns, and where it is in no column.
 */
export function windowAround(columns: Columns, node: number, before: Window | null, most: number): Window {
  const total = columns.reduce((sum, column) => sum + column.length, 0);
  if (total <= most) {
    return before?.complete
      ? before
      : windowOf(
          columns.map((column, number) => ({ column, number, above: 0 })),
          true,
        );
  }
  const at = columns.findIndex((column) => column.includes(node));
  if (before !== null && (at < 0 || showsSurroundings(before, columns, at, node, most))) {
    return before;
  }
  const middle = Math.max(0, at);
  const chosen = [rowsAround(columns, middle, node, most)];
  let room = most - chosen[0]!.column.length;
  for (let low = middle, high = middle, grown = true; grown; ) {
    grown = false;
    for (const number of [high + 1, low - 1]) {
      const column = columns[number];
      if (column !== undefined && column.length <= room) {
        chosen.push({ column, number, above: 0 });
        room -= column.length;
        low = Math.min(low, number);
        high = Math.max(high, number);
        grown = true;
      }
    }
  }
  return windowOf(
    chosen.sort((a, b) => a.number - b.number),
    false,
  );
}

/** A column, or some of its rows. */
interface Part {
  column: readonly number[];
  number: number;
  above: number;
}

function rowsAround(columns: Columns, number: number, node: number, most: number): Part {
  const column = columns[number] ?? [];
  const above = Math.max(0, Math.min(column.indexOf(node) - Math.floor(most / 2), column.length - most));
  return { column: column.slice(above, above + most), number, above };
}

function showsSurroundings(window: Window, columns: Columns, middle: number, node: number, most: number): boolean {
  return (
    window.shown.has(node) &&
    [middle - 1, middle + 1].every((number) => {
      const first = columns[number]?.[0];
      return first === undefined || (columns[number]?.length ?? 0) > most / 2 || window.shown.has(first);
    })
  );
}

function windowOf(parts: readonly Part[], complete: boolean): Window {
  const columns = parts.map(({ column }) => column);
  return {
    columns,
    numbers: parts.map(({ number }) => number),
    above: parts.map(({ above }) => above),
    shown: new Set(columns.flat()),
    complete,
  };
}
