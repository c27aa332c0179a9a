/** The grid of columns that a graph is laid out in. */

import type { Graph } from "../../data/types";

const KNOWN = new WeakMap<Graph, number[][]>();

/** The nodes of every column, from top to bottom. */
export function columnsOf(graph: Graph): readonly (readonly number[])[] {
  let columns = KNOWN.get(graph);
  if (columns === undefined) {
    columns = graph.columns.heading.map(() => []);
    for (const [node, column] of graph.nodes.column.entries()) {
      columns[column]?.push(node);
    }
    for (const column of columns) {
      column.sort((a, b) => graph.nodes.row[a]! - graph.nodes.row[b]!);
    }
    columns = columns.filter((column) => column.length > 0);
    KNOWN.set(graph, columns);
  }
  return columns;
}

export type Direction = "left" | "right" | "up" | "down";

/** The node next to a node, round the edges of the grid. Columns are centred, so sideways means the row at the same height. */
export function walk(graph: Graph, from: number, direction: Direction): number {
  const columns = columnsOf(graph);
  const number = Math.max(0, columns.findIndex((column) => column.includes(from)));
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

/** Nodes that are drawn at most; the library stays fluid up to about a thousand. */
export const MOST_NODES = 600;

/** The part of a graph that is drawn: for every column the nodes shown. */
export interface Window {
  columns: readonly (readonly number[])[];
  shown: ReadonlySet<number>;
  complete: boolean;
}

/**
 * The part of a graph around a node: whole columns to both sides as long as there is room. Of a column that is too long, the rows
 * around the node. Stays with `before` as long as that shows the node and its neighbouring columns.
 */
export function windowAround(graph: Graph, node: number, before: Window | null, most: number = MOST_NODES): Window {
  const columns = columnsOf(graph);
  const middle = Math.max(0, columns.findIndex((column) => column.includes(node)));
  const total = columns.reduce((sum, column) => sum + column.length, 0);
  if (total <= most) {
    return before?.complete ? before : windowOf(columns, true);
  }
  if (before !== null && showsSurroundings(before, columns, middle, node)) {
    return before;
  }
  const own = columns[middle] ?? [];
  const chosen = new Map<number, readonly number[]>([[middle, rowsAround(own, own.indexOf(node), most)]]);
  let room = most - (chosen.get(middle)?.length ?? 0);
  for (let low = middle, high = middle, grown = true; grown; ) {
    grown = false;
    for (const next of [high + 1, low - 1]) {
      const column = columns[next];
      if (column !== undefined && column.length <= room) {
        chosen.set(next, column);
        room -= column.length;
        low = Math.min(low, next);
        high = Math.max(high, next);
        grown = true;
      }
    }
  }
  const numbers = [...chosen.keys()].sort((a, b) => a - b);
  return windowOf(numbers.map((number) => chosen.get(number)!), false);
}

function rowsAround(column: readonly number[], row: number, most: number): readonly number[] {
  const start = Math.max(0, Math.min(row - Math.floor(most / 2), column.length - most));
  return column.slice(start, start + most);
}

function showsSurroundings(window: Window, columns: readonly (readonly number[])[], middle: number, node: number): boolean {
  return (
    window.shown.has(node) &&
    [middle - 1, middle + 1].every((number) => {
      const first = columns[number]?.[0];
      return first === undefined || (columns[number]?.length ?? 0) > MOST_NODES / 2 || window.shown.has(first);
    })
  );
}

function windowOf(columns: readonly (readonly number[])[], complete: boolean): Window {
  return { columns, shown: new Set(columns.flat()), complete };
}
