/** The connections that only one of two graphs has, where they can be drawn: between nodes and groups of A. */

import type { Graph } from "../../data/types";
import type { Items } from "../graph/items";
import type { GraphMatch, NamedConnection } from "./graph_match";

/** More than these would hide one another: they are listed only. */
export const MOST_DIFFERING_EDGES = 200;

export interface DifferingEdge {
  /** Numbers of items. */
  from: number;
  to: number;
  onlyIn: "A" | "B";
  carriesGradient: boolean;
}

/** Of a group, the connections are those of its nodes, merged. What leads to a node that A lacks is left out. */
export function differingEdges(match: GraphMatch, graph: Graph, items: Items): DifferingEdge[] {
  const itemOf = new Map(graph.nodes.name.map((name, node) => [name, items.ofNode[node]!]));
  const [ofA, ofB] = [drawable(match.connectionsOfA, itemOf), drawable(match.connectionsOfB, itemOf)];
  const only = (own: typeof ofA, other: typeof ofA, onlyIn: "A" | "B"): DifferingEdge[] => [...own].filter(([key]) => !other.has(key)).map(([, edge]) => ({ ...edge, onlyIn }));
  return [...only(ofA, ofB, "A"), ...only(ofB, ofA, "B")];
}

function drawable(connections: readonly NamedConnection[], itemOf: ReadonlyMap<string, number>): Map<string, Omit<DifferingEdge, "onlyIn">> {
  const edges = new Map<string, Omit<DifferingEdge, "onlyIn">>();
  for (const { from: source, to: target, carriesGradient } of connections) {
    const [from, to] = [itemOf.get(source) ?? -1, itemOf.get(target) ?? -1];
    if (from >= 0 && to >= 0 && from !== to) {
      const key = `${from}-${to}`;
      edges.set(key, { from, to, carriesGradient: carriesGradient || edges.get(key)?.carriesGradient === true });
    }
  }
  return edges;
}
