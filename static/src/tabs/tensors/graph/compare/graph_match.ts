/** The graphs of A and B beside each other: what only one of them has, by name. */

import type { Graph } from "../../../../data/format/types";

/** A tensor by the node that it is in, and its role there. */
export interface NamedTensor {
  node: string;
  role: string;
}

/** A connection between two nodes. */
export interface NamedConnection {
  from: string;
  to: string;
  carriesGradient: boolean;
}

export interface GraphMatch {
  tensorsOnlyInA: readonly NamedTensor[];
  tensorsOnlyInB: readonly NamedTensor[];
  connectionsOfA: readonly NamedConnection[];
  connectionsOfB: readonly NamedConnection[];
  connectionsOnlyInA: readonly NamedConnection[];
  connectionsOnlyInB: readonly NamedConnection[];
  /** How nodes of A are marked, by their positions. */
  marks: ReadonlyMap<number, NodeMark>;
}

/** `A`: the whole node is only in A. `≠`: B has other tensors in it. */
export type NodeMark = "A" | "\u2260";

/** Says of a tensor of one iteration which of another one it is: what comes from an earlier iteration does so in both. */
export function roleWithoutIteration(role: string): string {
  return role.replace(/__from_(iteration_\d+|initialization)$/, "__earlier");
}

export function matchGraphs(a: Graph, b: Graph): GraphMatch {
  const [tensorsOfA, tensorsOfB] = [tensorsOf(a), tensorsOf(b)];
  const [connectionsOfA, connectionsOfB] = [connectionsOf(a), connectionsOf(b)];
  const tensorsOnlyInA = missing(tensorsOfA, tensorsOfB);
  const tensorsOnlyInB = missing(tensorsOfB, tensorsOfA);
  const nodesOfB = new Set(b.nodes.name);
  const differing = new Set([...tensorsOnlyInA, ...tensorsOnlyInB].map(({ node }) => node));
  const marks = new Map<number, NodeMark>();
  a.nodes.name.forEach((name, node) => {
    if (differing.has(name)) {
      marks.set(node, nodesOfB.has(name) ? "\u2260" : "A");
    }
  });
  return {
    tensorsOnlyInA,
    tensorsOnlyInB,
    connectionsOfA: [...connectionsOfA.values()],
    connectionsOfB: [...connectionsOfB.values()],
    connectionsOnlyInA: missing(connectionsOfA, connectionsOfB),
    connectionsOnlyInB: missing(connectionsOfB, connectionsOfA),
    marks,
  };
}

/** In the order of the graph. */
function tensorsOf(graph: Graph): Map<string, NamedTensor> {
  const { node, role } = graph.tensors;
  const rows = node.map((_, k) => k).sort((x, y) => node[x]! - node[y]! || x - y);
  return new Map(
    rows.map((k) => {
      const tensor = { node: graph.nodes.name[node[k]!]!, role: role[k]! };
      return [JSON.stringify([tensor.node, roleWithoutIteration(tensor.role)]), tensor];
    }),
  );
}

function connectionsOf(graph: Graph): Map<string, NamedConnection> {
  const nameOf = (tensor: number): string => graph.nodes.name[graph.tensors.node[tensor]!]!;
  const withoutGradient = new Set(graph.without_gradient);
  const connections = new Map<string, NamedConnection>();
  graph.from.forEach((tensor, k) => {
    const [from, to] = [nameOf(tensor), nameOf(graph.to[k]!)];
    const key = JSON.stringify([from, to]);
    if (from !== to) {
      connections.set(key, { from, to, carriesGradient: !withoutGradient.has(k) || connections.get(key)?.carriesGradient === true });
    }
  });
  return connections;
}

function missing<T>(own: ReadonlyMap<string, T>, others: ReadonlyMap<string, T>): T[] {
  return [...own].filter(([key]) => !others.has(key)).map(([, value]) => value);
}
