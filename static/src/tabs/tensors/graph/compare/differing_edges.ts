/** The connections that only one of two graphs has, where they can be drawn: between nodes and groups of A. */

import type { Graph } from "../../../../data/format/types";
import type { GraphMatch, NamedConnection } from "../../../../state/comparison/graph_match";
import { grouped } from "../../../../ui/text/format";
import type { Items } from "../layout/items";

/** More than these would hide one another. */
export const MOST_DIFFERING_EDGES = 200;

export interface DifferingEdge {
  /** Numbers of items. */
  from: number;
  to: number;
  onlyIn: "A" | "B";
  carriesGradient: boolean;
}

export interface Differences {
  /** Those that are drawn. */
  edges: readonly DifferingEdge[];
  /** How many there are. */
  count: number;
}

/** All are drawn, or where they are too many, those of the selected item. */
export function drawnDifferences(edges: readonly DifferingEdge[], selected: number): Differences {
  const { length: count } = edges;
  return { count, edges: count <= MOST_DIFFERING_EDGES ? edges : edges.filter(({ from, to }) => from === selected || to === selected) };
}

/** Which of them are drawn; nothing where all are. */
export function differencesInWords({ edges, count }: Differences): string[] {
  return edges.length === count ? [] : [`${grouped(count)} connections are only in A or B. Those of the selected node are drawn.`];
}

/** The connections of a group are those of its nodes, merged. Connections to a node that A lacks are left out. */
export function differingEdges(match: GraphMatch, graph: Graph, items: Items): DifferingEdge[] {
  const itemOf = new Map(graph.nodes.name.map((name, node) => [name, items.ofNode[node]!]));
  const [ofA, ofB] = [drawable(match.connectionsOfA, itemOf), drawable(match.connectionsOfB, itemOf)];
  const only = (own: typeof ofA, other: typeof ofA, onlyIn: "A" | "B"): DifferingEdge[] =>
    [...own].filter(([key]) => !other.has(key)).map(([, edge]) => ({ ...edge, onlyIn }));
  return [...only(ofA, ofB, "A"), ...only(ofB, ofA, "B")];
}

function drawable(
  connections: readonly NamedConnection[],
  itemOf: ReadonlyMap<string, number>,
): Map<string, Omit<DifferingEdge, "onlyIn">> {
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
