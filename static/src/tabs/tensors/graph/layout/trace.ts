/** What the selected node comes from, what comes from it, and the ways between two nodes. */

import type { Graph } from "../../../../data/format/types";
import { adjacencyOf, type Links } from "./adjacency";
import type { Items } from "./items";

const TRACES = ["ancestors", "descendants", "both", "paths"] as const;
type TraceKind = (typeof TRACES)[number];

/** A node or group is on the trace where its `sides` are not 0; a connection of nodes is where its ends have a side in common. */
export interface Trace {
  kind: TraceKind;
  sides: Uint8Array;
  /** Nodes on the trace besides the selected one and, of paths, the other end. */
  ancestors: number;
  descendants: number;
  between: number;
  /** The other end of paths, or -1 where it is not in this graph. */
  to: number;
  /** Whether there is a way between the two ends of paths. */
  connected: boolean;
}

const ANCESTOR = 1;
const DESCENDANT = 2;

/** What the address says about the trace; null for none. */
export function readTrace(text: string | undefined): TraceKind | null {
  return TRACES.find((kind) => kind === text) ?? null;
}

/** Traces from the selected node; `to` is the other end of paths. */
export function traceOf(graph: Graph, selected: number, kind: TraceKind, to = -1): Trace {
  const { dependencies, dependents } = adjacencyOf(graph);
  const sides = new Uint8Array(graph.nodes.name.length);
  const trace: Trace = { kind, sides, ancestors: 0, descendants: 0, between: 0, to, connected: false };
  if (selected < 0) {
    return trace;
  }
  if (kind === "paths") {
    return tracePaths(trace, selected, dependencies, dependents);
  }
  if (kind !== "descendants") {
    trace.ancestors = mark(sides, reached(dependencies, selected), ANCESTOR) - 1;
  }
  if (kind !== "ancestors") {
    trace.descendants = mark(sides, reached(dependents, selected), DESCENDANT) - 1;
  }
  return trace;
}

/** In a graph without circles there are ways in one direction at most. */
function tracePaths(trace: Trace, selected: number, dependencies: Links, dependents: Links): Trace {
  const { sides, to } = trace;
  sides[selected] = ANCESTOR;
  if (to < 0 || to === selected) {
    return trace;
  }
  sides[to] = DESCENDANT;
  for (const [first, last] of [
    [selected, to],
    [to, selected],
  ] as const) {
    const after = reached(dependents, first);
    if (after[last] === 1) {
      const before = reached(dependencies, last);
      trace.between =
        mark(
          sides,
          after.map((isAfter, node) => isAfter & before[node]!),
          ANCESTOR,
        ) - 2;
      trace.connected = true;
    }
  }
  return trace;
}

/** The nodes that can be reached from a node, itself among them, by breadth-first search. */
export function reached(links: Links, from: number): Uint8Array {
  const count = links.start.length - 1;
  const visited = new Uint8Array(count);
  const queue = new Uint32Array(count);
  queue[0] = from;
  visited[from] = 1;
  for (let read = 0, written = 1; read < written; read++) {
    const node = queue[read]!;
    for (let k = links.start[node]!; k < links.start[node + 1]!; k++) {
      const other = links.others[k]!;
      if (visited[other] === 0) {
        visited[other] = 1;
        queue[written] = other;
        written += 1;
      }
    }
  }
  return visited;
}

/** Adds a side to the nodes found, and counts them. */
function mark(sides: Uint8Array, visited: Uint8Array, side: number): number {
  let count = 0;
  for (let node = 0; node < visited.length; node++) {
    if (visited[node] === 1) {
      sides[node]! |= side;
      count += 1;
    }
  }
  return count;
}

export interface TracedEdge {
  from: number;
  to: number;
  carriesGradient: boolean;
}

/** The trace with the groups: one is on it where a node of it is. */
export function withGroups(trace: Trace, items: Items): Trace {
  const sides = new Uint8Array(Math.max(trace.sides.length, ...items.numbers.slice(-1).map((last) => last + 1)));
  sides.set(trace.sides);
  for (const [item, { members }] of items.groups) {
    sides[item] = members.reduce((all, node) => all | trace.sides[node]!, 0);
  }
  return { ...trace, sides };
}

/** The connections on a trace between nodes and groups that are drawn, merged; none where they are more than `most`. */
export function tracedEdges(
  graph: Graph,
  trace: Pick<Trace, "sides">,
  items: Items,
  isDrawn: (item: number) => boolean,
  most: number,
): TracedEdge[] {
  const { dependents, carriesGradient } = adjacencyOf(graph);
  const edges = new Map<string, TracedEdge>();
  for (let node = 0; node < items.ofNode.length; node++) {
    const side = trace.sides[node]!;
    const from = items.ofNode[node]!;
    if (side === 0 || !isDrawn(from)) {
      continue;
    }
    for (let k = dependents.start[node]!; k < dependents.start[node + 1]!; k++) {
      const to = items.ofNode[dependents.others[k]!]!;
      if ((side & trace.sides[dependents.others[k]!]!) !== 0 && to !== from && isDrawn(to)) {
        const known = edges.get(`${from}-${to}`);
        edges.set(`${from}-${to}`, { from, to, carriesGradient: carriesGradient[k] === 1 || known?.carriesGradient === true });
        if (edges.size > most) {
          return [];
        }
      }
    }
  }
  return [...edges.values()];
}
