/** The connections between nodes as flat arrays, in which a search through a graph of any size takes no time that a person notices. */

import type { Graph } from "../../data/types";

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

const KNOWN = new WeakMap<Graph, Adjacency>();

/** The connections of a graph between different nodes, each pair once. Worked out once per graph. */
export function adjacencyOf(graph: Graph): Adjacency {
  let adjacency = KNOWN.get(graph);
  if (adjacency === undefined) {
    adjacency = build(graph);
    KNOWN.set(graph, adjacency);
  }
  return adjacency;
}

/** The dependencies that a node has part in, as positions in `graph.from`. Worked out once per graph. */
export interface Incidence {
  links: Links;
  withoutGradient: Uint8Array;
}

const KNOWN_INCIDENCE = new WeakMap<Graph, Incidence>();

export function incidenceOf(graph: Graph): Incidence {
  let incidence = KNOWN_INCIDENCE.get(graph);
  if (incidence === undefined) {
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
    incidence = { links: linksOf(graph.nodes.name.length, Uint32Array.from(ends), Uint32Array.from(edges)).links, withoutGradient };
    KNOWN_INCIDENCE.set(graph, incidence);
  }
  return incidence;
}

function build(graph: Graph): Adjacency {
  const count = graph.nodes.name.length;
  const withoutGradient = new Set(graph.without_gradient);
  const pairs = new Map<number, boolean>();
  graph.from.forEach((from, k) => {
    const [source, sink] = [graph.tensors.node[from]!, graph.tensors.node[graph.to[k]!]!];
    if (source !== sink) {
      const pair = source * count + sink;
      pairs.set(pair, (pairs.get(pair) ?? false) || !withoutGradient.has(k));
    }
  });
  const sources = Uint32Array.from(pairs.keys(), (pair) => Math.floor(pair / count));
  const sinks = Uint32Array.from(pairs.keys(), (pair) => pair % count);
  const carries = Uint8Array.from(pairs.values(), Number);
  const dependents = linksOf(count, sources, sinks);
  return {
    dependencies: linksOf(count, sinks, sources).links,
    dependents: dependents.links,
    carriesGradient: Uint8Array.from(dependents.order, (pair) => carries[pair]!),
  };
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
