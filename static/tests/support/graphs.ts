/** Graphs for tests. */

import { parseGraph } from "../../src/data/format/documents";
import type { Graph } from "../../src/data/format/types";
import type { Links } from "../../src/tabs/tensors/graph/layout/adjacency";
import { graphJson } from "./bundle_fixture";

/** A graph of columns with the given numbers of nodes, and edges between tensors of the same numbers. */
export function gridOf(sizes: readonly number[], edges: [number, number][] = []): Graph {
  const nodes = sizes.flatMap((size, column) =>
    Array.from({ length: size }, (_, row) => ({ name: `c${column}r${row}`, type: "calculated", column, row })),
  );
  const tensors = nodes.map((node, k) => ({ name: node.name, node: k, role: node.name, record_name: node.name, record_iteration: 0 }));
  return parseGraph(graphJson({ nodes, tensors, edges }), "graph");
}

/** Connections as flat arrays, in the order of their first ends and then of the list. */
export function linksOf(count: number, pairs: readonly (readonly number[])[]): Links {
  const sorted = [...pairs].sort((a, b) => a[0]! - b[0]!);
  const start = Uint32Array.from({ length: count + 1 }, (_, node) => sorted.filter(([from]) => from! < node).length);
  return { start, others: Uint32Array.from(sorted, ([, to]) => to!) };
}

/** Whole numbers below a limit that look random, the same ones for the same seed. */
export function numbersFrom(seed: number): (limit: number) => number {
  let state = seed * 2654435761 + 1;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
