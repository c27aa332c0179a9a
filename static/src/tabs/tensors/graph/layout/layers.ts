/**
 * Columns for nodes and collapsed groups of nodes. The rules are those of the exporter in `exporter/plan/graph_layout.py`.
 *
 * An item whose sources are all placed goes into the next column, one type at a time. Parameters go into columns as far right as possible,
 * just before the first column that depends on them.
 */

import { groupedBy } from "../../../../data/collections";
import type { TensorType } from "../../../../data/format/types";
import type { Links } from "./adjacency";
import { componentsOf } from "./connected_components";

export interface Layered {
  type: TensorType;
  name: string;
  /** The column of its first node in the graph in which nothing is collapsed. */
  column: number;
}

const ORDER: readonly TensorType[] = ["parameter", "input", "calculated", "target", "loss"];

/**
 * The columns, each with its items sorted by name.
 *
 * Groups may depend on one another in circles. Connections within a circle do not count if they lead to an item whose first
 * node is further left in the graph in which nothing is collapsed; of several items whose first nodes are in one column, the first counts
 * as further left. So a circle begins where its first node does.
 */
export function layersOf(items: readonly Layered[], dependents: Links): number[][] {
  const links = withoutCircles(items, dependents);
  const placed = placeAllButParameters(items, links);
  const columns = withParameters(items, links, placed);
  return columns.map((column) => column.sort((a, b) => (items[a]!.name < items[b]!.name ? -1 : 1)));
}

/** The dependents of each item, without those connections of circles that lead backwards. */
function withoutCircles(items: readonly Layered[], { start, others }: Links): Links {
  const component = componentsOf({ start, others });
  const isBackwards = (from: number, to: number): boolean =>
    component[from] === component[to] && (items[from]!.column - items[to]!.column || from - to) > 0;
  const kept: Links = { start: new Uint32Array(start.length), others: new Uint32Array(others.length) };
  let written = 0;
  for (let from = 0; from < items.length; from++) {
    for (let k = start[from]!; k < start[from + 1]!; k++) {
      if (!isBackwards(from, others[k]!)) {
        kept.others[written] = others[k]!;
        written += 1;
      }
    }
    kept.start[from + 1] = written;
  }
  return kept;
}

function placeAllButParameters(items: readonly Layered[], { start, others }: Links): number[][] {
  const missing = new Uint32Array(items.length);
  for (let k = 0; k < start[items.length]!; k++) {
    missing[others[k]!]! += 1;
  }
  const ready = new Map(ORDER.map((type) => [type, [] as number[]]));
  items.forEach(({ type }, item) => {
    if (missing[item] === 0) {
      ready.get(type)!.push(item);
    }
  });
  const columns: number[][] = [];
  for (let type = firstReady(ready); type !== undefined; type = firstReady(ready)) {
    const column = ready.get(type)!;
    ready.set(type, []);
    for (const item of column) {
      for (let k = start[item]!; k < start[item + 1]!; k++) {
        const other = others[k]!;
        missing[other]! -= 1;
        if (missing[other] === 0) {
          ready.get(items[other]!.type)!.push(other);
        }
      }
    }
    if (type !== "parameter") {
      columns.push(column);
    }
  }
  return columns;
}

function firstReady(ready: ReadonlyMap<TensorType, readonly number[]>): TensorType | undefined {
  return ORDER.find((type) => ready.get(type)!.length > 0);
}

/** Adds columns of parameters. Parameters that share a column where nothing is collapsed share one here. */
function withParameters(items: readonly Layered[], { start, others }: Links, placed: readonly number[][]): number[][] {
  const columnOf = new Map(placed.flatMap((column, number) => column.map((item) => [item, number])));
  const parameters = [...items.keys()].filter((item) => items[item]!.type === "parameter");
  const groups = groupedBy(parameters, (item) => items[item]!.column);
  // By column, the groups of parameters that stand before it. Those that no item uses stand behind the last column.
  const before: number[][][] = Array.from({ length: placed.length + 1 }, () => []);
  for (const number of [...groups.keys()].sort((a, b) => a - b)) {
    const group = groups.get(number)!;
    let first = placed.length;
    for (const item of group) {
      for (let k = start[item]!; k < start[item + 1]!; k++) {
        first = Math.min(first, columnOf.get(others[k]!) ?? placed.length);
      }
    }
    before[first]!.push(group);
  }
  return [...placed.flatMap((own, number) => [...before[number]!, own]), ...before[placed.length]!];
}
