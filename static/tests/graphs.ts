/** Graphs for tests. */

import { parseGraph } from "../src/data/documents";
import type { Graph } from "../src/data/types";
import { graphJson } from "./fixture";

/** A graph of columns with the given numbers of nodes, and edges between tensors of the same numbers. */
export function gridOf(sizes: readonly number[], edges: [number, number][] = []): Graph {
  const nodes = sizes.flatMap((size, column) => Array.from({ length: size }, (_, row) => ({ name: `c${column}r${row}`, type: "calculated", column, row })));
  const tensors = nodes.map((node, k) => ({ name: node.name, node: k, role: node.name, record_name: node.name, record_iteration: 0 }));
  return parseGraph(graphJson({ nodes, tensors, edges }), "graph");
}
