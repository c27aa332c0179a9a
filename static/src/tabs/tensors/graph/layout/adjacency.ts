/** The connections between nodes as flat arrays, in which a search through a graph of any size takes no time that a person notices. */

import { oncePer } from "../../../../data/collections";
import type { Graph } from "../../../../data/format/types";

/** The nodes at the other ends: those of node `k` are `others` from `start[k]` to `start[k + 1]`. */
export interface Links {
  start: Uint32Array;
  others: Uint32Array;
}

export interface Adjacency {
  dependencies: Links;
  dependents: Links;
  /** For every entry of `dependents.others`, whether a gradient flows through one of the connections. */
  carriesGradient: Uint8Array;
}

/** The connections of a graph between different nodes, each pair once. */
export const adjacencyOf = oncePer(build);

/** The dependencies that a node has part in, as positions in `graph.from`. */
interface Incidence {
  links: Links;
  withoutGradient: Uint8Array;
}

export const incidenceOf = oncePer((graph: Graph): Incidence => {
  const [ends, edges]: [number[], number[]] = [[], []];
  graph.from.forEach((from, k) => {
    const [source, sink] = [graph.tensors.node[from]!, graph.tensors.node[graph.to[k]!]!];
    if (source !== sink) {
      ends.push(source, sink);
      edges.push(k, k);
    }
  });
  const withoutGradient = new Uint8Array(graph.from.length);
  graph.without_gradient.forEach((k) => (withoutGradient[k] = 1));
  return { links: linksOf(graph.nodes.name.length, Uint32Array.from(ends), Uint32Array.from(edges)).links, withoutGradient };
});

function build(graph: Graph): Adjacency {
  const count = graph.nodes.name.length;
  const { sources, sinks, carries } = connectionsOf(graph);
  const all = linksOf(count, sources, sinks);
  const start = new Uint32Array(count + 1);
  const [froms, others, carriesGradient] = [
    new Uint32Array(sources.length),
    new Uint32Array(sources.length),
    new Uint8Array(sources.length),
  ];
  // The place in `others` of a node, plus one, if it is there already for the node at hand.
  const at = new Uint32Array(count);
  let written = 0;
  for (let node = 0; node < count; node++) {
    start[node] = written;
    for (let k = all.links.start[node]!; k < all.links.start[node + 1]!; k++) {
      const other = all.links.others[k]!;
      if (at[other]! <= start[node]!) {
        froms[written] = node;
        others[written] = other;
        written += 1;
        at[other] = written;
      }
      carriesGradient[at[other]! - 1]! |= carries[all.order[k]!]!;
    }
  }
  start[count] = written;
  const dependents = { start, others: others.slice(0, written) };
  return {
    dependencies: linksOf(count, dependents.others, froms.subarray(0, written)).links,
    dependents,
    carriesGradient: carriesGradient.slice(0, written),
  };
}

/** The ends of all connections between different nodes, and whether a gradient flows through each. */
function connectionsOf(graph: Graph): { sources: Uint32Array; sinks: Uint32Array; carries: Uint8Array } {
  const { from, to, tensors, without_gradient } = graph;
  const [sources, sinks, carries] = [new Uint32Array(from.length), new Uint32Array(from.length), new Uint8Array(from.length).fill(1)];
  for (const k of without_gradient) {
    carries[k] = 0;
  }
  let written = 0;
  for (let k = 0; k < from.length; k++) {
    const [source, sink] = [tensors.node[from[k]!]!, tensors.node[to[k]!]!];
    if (source !== sink) {
      sources[written] = source;
      sinks[written] = sink;
      carries[written] = carries[k]!;
      written += 1;
    }
  }
  return { sources: sources.subarray(0, written), sinks: sinks.subarray(0, written), carries };
}

/** The links from `ends` to `others`, and which pair each of them is. */
function linksOf(count: number, ends: Uint32Array, others: Uint32Array): { links: Links; order: Uint32Array } {
  const start = new Uint32Array(count + 1);
  for (const end of ends) {
    start[end + 1]! += 1;
  }
  for (let node = 0; node < count; node++) {
    start[node + 1]! += start[node]!;
  }
  const next = start.slice();
  const order = new Uint32Array(ends.length);
  ends.forEach((end, pair) => {
    order[next[end]!] = pair;
    next[end]! += 1;
  });
  return { links: { start, others: order.map((pair) => others[pair]!) }, order };
}
