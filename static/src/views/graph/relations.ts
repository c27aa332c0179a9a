/** Who depends on whom in a graph, between nodes. */

import type { Graph } from "../../data/types";

/** A node that the selected one is connected with; `own` when the selected role has the connection, not only another tensor of the node. */
export interface Neighbour {
  node: number;
  own: boolean;
}

export interface Neighbours {
  dependencies: Neighbour[];
  dependents: Neighbour[];
}

/** The direct neighbours of a node, in the order of the graph. */
export function neighboursOf(graph: Graph, node: number, role: string): Neighbours {
  const dependencies = new Map<number, boolean>();
  const dependents = new Map<number, boolean>();
  const { tensors } = graph;
  const note = (found: Map<number, boolean>, other: number, tensor: number): void => {
    found.set(other, (found.get(other) ?? false) || tensors.role[tensor] === role);
  };
  graph.from.forEach((from, k) => {
    const to = graph.to[k]!;
    const [source, sink] = [tensors.node[from]!, tensors.node[to]!];
    if (source !== sink && sink === node) {
      note(dependencies, source, to);
    }
    if (source !== sink && source === node) {
      note(dependents, sink, from);
    }
  });
  return { dependencies: sorted(dependencies), dependents: sorted(dependents) };
}

function sorted(found: ReadonlyMap<number, boolean>): Neighbour[] {
  return [...found].map(([node, own]) => ({ node, own })).sort((a, b) => a.node - b.node);
}

/** Per node, whether it depends on anything in this iteration, and whether anything depends on it. */
export interface Ends {
  hasDependencies: boolean[];
  hasDependents: boolean[];
}

const KNOWN_ENDS = new WeakMap<Graph, Ends>();

export function endsOf(graph: Graph): Ends {
  let ends = KNOWN_ENDS.get(graph);
  if (ends === undefined) {
    const count = graph.nodes.name.length;
    ends = { hasDependencies: new Array<boolean>(count).fill(false), hasDependents: new Array<boolean>(count).fill(false) };
    for (const [k, from] of graph.from.entries()) {
      const [source, sink] = [graph.tensors.node[from]!, graph.tensors.node[graph.to[k]!]!];
      if (source !== sink) {
        ends.hasDependents[source] = true;
        ends.hasDependencies[sink] = true;
      }
    }
    KNOWN_ENDS.set(graph, ends);
  }
  return ends;
}

const KNOWN_SHAPES = new WeakMap<Graph, string>();

/** Equal for graphs that look the same. */
export function shapeKey(graph: Graph): string {
  let key = KNOWN_SHAPES.get(graph);
  if (key === undefined) {
    const { name, type, label, column, row } = graph.nodes;
    key = JSON.stringify([name, type, label, column, row, graph.columns.heading, endsOf(graph)]);
    KNOWN_SHAPES.set(graph, key);
  }
  return key;
}
