/** Who depends on whom in a graph, between nodes. */

import { oncePer } from "../../../../data/collections";
import type { Graph } from "../../../../data/format/types";
import { incidenceOf } from "./adjacency";
import type { Items } from "./items";

/**
 * A node that the selected one is connected with; `own` when the selected role has the connection, not only another tensor of the node;
 * `carriesGradient` when a gradient flows through it.
 */
export interface Neighbour {
  node: number;
  own: boolean;
  carriesGradient: boolean;
}

export interface Neighbours {
  dependencies: Neighbour[];
  dependents: Neighbour[];
}

/**
 * The direct neighbours of a node, in the order of the graph. If a node has several connections, those of the selected role count, if any.
 *
 * With `items`, they are those of the item that holds the node, by the numbers of items: the selected role's, and the others that this node
 * or another one of its group has. What is left out of the drawing is not among them.
 */
export function neighboursOf(graph: Graph, node: number, role: string, items?: Items): Neighbours {
  const dependencies = new Map<number, Neighbour>();
  const dependents = new Map<number, Neighbour>();
  const { tensors } = graph;
  const { links, withoutGradient } = incidenceOf(graph);
  const itemOf = (tensor: number): number => (items === undefined ? tensors.node[tensor]! : items.ofNode[tensors.node[tensor]!]!);
  const item = items === undefined ? node : (items.ofNode[node] ?? -1);
  const note = (neighbours: Map<number, Neighbour>, other: number, tensor: number, carriesGradient: boolean): void => {
    const known = neighbours.get(other);
    const own = tensors.node[tensor] === node && tensors.role[tensor] === role;
    if (known === undefined || (own && !known.own)) {
      neighbours.set(other, { node: other, own, carriesGradient });
    } else if (own === known.own) {
      known.carriesGradient ||= carriesGradient;
    }
  };
  for (const member of items?.groups.get(item)?.members ?? (item < 0 ? [] : [node])) {
    for (let k = links.start[member]!; k < links.start[member + 1]!; k++) {
      const edge = links.others[k]!;
      const [from, to] = [graph.from[edge]!, graph.to[edge]!];
      const [source, sink] = [itemOf(from), itemOf(to)];
      if (source !== sink && sink === item && source >= 0) {
        note(dependencies, source, to, withoutGradient[edge] === 0);
      } else if (source !== sink && source === item && sink >= 0) {
        note(dependents, sink, from, withoutGradient[edge] === 0);
      }
    }
  }
  return { dependencies: sorted(dependencies), dependents: sorted(dependents) };
}

function sorted(neighbours: ReadonlyMap<number, Neighbour>): Neighbour[] {
  return [...neighbours.values()].sort((a, b) => a.node - b.node);
}

/** Per node, whether it depends on anything in this iteration, and whether anything depends on it. */
interface Ends {
  hasDependencies: boolean[];
  hasDependents: boolean[];
}

export const endsOf = oncePer((graph: Graph): Ends => {
  const count = graph.nodes.name.length;
  const ends = { hasDependencies: new Array<boolean>(count).fill(false), hasDependents: new Array<boolean>(count).fill(false) };
  for (const [k, from] of graph.from.entries()) {
    const [source, sink] = [graph.tensors.node[from]!, graph.tensors.node[graph.to[k]!]!];
    if (source !== sink) {
      ends.hasDependents[source] = true;
      ends.hasDependencies[sink] = true;
    }
  }
  return ends;
});

/** Equal for graphs that look the same. */
export const shapeKey = oncePer((graph: Graph): string => {
  const { name, type, label, column, row } = graph.nodes;
  return JSON.stringify([name, type, label, column, row, graph.columns.heading, endsOf(graph)]);
});
