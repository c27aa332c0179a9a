/** Two dependency graphs beside each other: what only one of them has, by name. */

import type { Graph } from "../../data/format/types";

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

/** `A`: the whole node is only in A. `≠`: B has other tensors in it, or of another kind. */
export type NodeMark = "A" | "\u2260";

/** Says of a tensor of one iteration which of another one it is: what comes from an earlier iteration does so in both. */
export function roleWithoutIteration(role: string): string {
  return role.includes("__from_") ? role.replace(/__from_(iteration_\d+|initialization)$/, "__earlier") : role;
}

/** Names two texts at once: no other two give the same. Lists of JSON would take ten times as long. */
function keyOf(first: string, second: string): string {
  return `${first.length}/${first}${second}`;
}

/** `ofAnotherKind` are nodes whose tensors both have, but not of the same kind. */
export function matchGraphs(a: Graph, b: Graph, ofAnotherKind: ReadonlySet<string> = new Set()): GraphMatch {
  const [tensorsOfA, tensorsOfB] = [tensorsOf([a]), tensorsOf([b])];
  const [connectionsOfA, connectionsOfB] = [connectionsOf([a]), connectionsOf([b])];
  const tensorsOnlyInA = missing(tensorsOfA, tensorsOfB);
  const tensorsOnlyInB = missing(tensorsOfB, tensorsOfA);
  const nodesOfB = new Set(b.nodes.name);
  const differing = new Set([...ofAnotherKind, ...[...tensorsOnlyInA, ...tensorsOnlyInB].map(({ node }) => node)]);
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

/** The tensors of some graphs, each once, in the order of the graphs. */
export function tensorsOf(graphs: readonly Graph[]): Map<string, NamedTensor> {
  const all = new Map<string, NamedTensor>();
  for (const { nodes, tensors } of graphs) {
    const { node, role } = tensors;
    for (const k of node.map((_, row) => row).sort((x, y) => node[x]! - node[y]! || x - y)) {
      const tensor = { node: nodes.name[node[k]!]!, role: role[k]! };
      const key = keyOf(tensor.node, roleWithoutIteration(tensor.role));
      if (!all.has(key)) {
        all.set(key, tensor);
      }
    }
  }
  return all;
}

/** The connections of some graphs, each once; a gradient flows through one if it does so anywhere. */
export function connectionsOf(graphs: readonly Graph[]): Map<string, NamedConnection> {
  const connections = new Map<string, NamedConnection>();
  for (const graph of graphs) {
    const nameOf = (tensor: number): string => graph.nodes.name[graph.tensors.node[tensor]!]!;
    const withoutGradient = new Set(graph.without_gradient);
    graph.from.forEach((tensor, k) => {
      const [from, to] = [nameOf(tensor), nameOf(graph.to[k]!)];
      const key = keyOf(from, to);
      if (from !== to) {
        connections.set(key, { from, to, carriesGradient: !withoutGradient.has(k) || connections.get(key)?.carriesGradient === true });
      }
    });
  }
  return connections;
}

export function missing<T>(own: ReadonlyMap<string, T>, others: ReadonlyMap<string, T>): T[] {
  return [...own].filter(([key]) => !others.has(key)).map(([, value]) => value);
}
