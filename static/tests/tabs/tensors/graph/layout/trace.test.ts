import { describe, expect, it } from "vitest";
import { parseGraph } from "../../../../../src/data/format/documents";
import type { Graph } from "../../../../../src/data/format/types";
import { adjacencyOf } from "../../../../../src/tabs/tensors/graph/layout/adjacency";
import { ALL_OPEN } from "../../../../../src/tabs/tensors/graph/layout/folding";
import { itemsOf } from "../../../../../src/tabs/tensors/graph/layout/items";
import { readTrace, tracedEdges, traceOf } from "../../../../../src/tabs/tensors/graph/layout/trace";
import { traceInWords } from "../../../../../src/tabs/tensors/graph/trace_bar";
import { graphJson } from "../../../../support/bundle_fixture";

/** Nodes with one tensor each, in a column of their own. */
function chainOf(count: number, edges: [number, number][], without_gradient: number[] = []): Graph {
  const names = Array.from({ length: count }, (_, k) => `n${k}`);
  const nodes = names.map((name, column) => ({ name, type: "calculated", column, row: 0 }));
  const tensors = names.map((name, node) => ({ name, node, role: name, record_name: name, record_iteration: 0 }));
  return parseGraph(graphJson({ nodes, tensors, edges, without_gradient }), "graph");
}

// 0 -> 1 -> 3 -> 4, 0 -> 2 -> 3, 0 -> 4, and 5 by itself.
const EDGES: [number, number][] = [
  [0, 1],
  [1, 3],
  [3, 4],
  [0, 2],
  [2, 3],
  [0, 4],
];
const graph = chainOf(6, EDGES);
const items = itemsOf(graph, ALL_OPEN, () => true);
const onTrace = (sides: Uint8Array): number[] => [...sides.keys()].filter((node) => sides[node] !== 0);

describe("a trace", () => {
  it("of ancestors and descendants has all of them", () => {
    expect(onTrace(traceOf(graph, 3, "ancestors").sides)).toEqual([0, 1, 2, 3]);
    expect(onTrace(traceOf(graph, 3, "descendants").sides)).toEqual([3, 4]);
    const both = traceOf(graph, 1, "both");
    expect([onTrace(both.sides), both.ancestors, both.descendants]).toEqual([[0, 1, 3, 4], 1, 2]);
    const alone = traceOf(graph, 5, "both");
    expect([onTrace(alone.sides), alone.ancestors, alone.descendants]).toEqual([[5], 0, 0]);
  });

  it("of paths has what lies between, whichever end is selected", () => {
    for (const [selected, to] of [
      [0, 3],
      [3, 0],
    ] as const) {
      const paths = traceOf(graph, selected, "paths", to);
      expect([onTrace(paths.sides), paths.between, paths.connected]).toEqual([[0, 1, 2, 3], 2, true]);
    }
    const none = traceOf(graph, 1, "paths", 2);
    expect([onTrace(none.sides), none.connected]).toEqual([[1, 2], false]);
    expect(onTrace(traceOf(graph, 1, "paths", -1).sides)).toEqual([1]);
    expect(onTrace(traceOf(graph, 1, "paths", 1).sides)).toEqual([1]);
  });

  it("has the connections between its nodes, but none past the selected one", () => {
    const pairs = (kind: "both" | "ancestors", node: number, drawn = (_: number) => true) =>
      tracedEdges(graph, traceOf(graph, node, kind), items, drawn, 10).map(({ from, to }) => [from, to]);
    // 0 -> 4 goes past 3.
    expect(pairs("both", 3)).toEqual([
      [0, 1],
      [0, 2],
      [1, 3],
      [2, 3],
      [3, 4],
    ]);
    expect(pairs("ancestors", 3, (node) => node !== 2)).toEqual([
      [0, 1],
      [1, 3],
    ]);
    expect(tracedEdges(graph, traceOf(graph, 3, "both"), items, () => true, 4)).toEqual([]);
  });

  it("agrees with a search by definition on a large graph", () => {
    const edges: [number, number][] = [];
    for (let k = 1; k < 2000; k++) {
      edges.push([(k * 7919) % k, k], [(k * 104729) % k, k]);
    }
    const large = chainOf(2000, edges);
    const isAncestor = new Array<boolean>(2000).fill(false);
    isAncestor[1500] = true;
    for (let k = 1500; k >= 0; k--) {
      for (const [from, to] of edges) {
        isAncestor[from] ||= to === k && isAncestor[k]!;
      }
    }
    const trace = traceOf(large, 1500, "ancestors");
    expect([...trace.sides].map((side) => side !== 0)).toEqual(isAncestor);
    expect(trace.ancestors).toBe(isAncestor.filter(Boolean).length - 1);
  });

  it("is put into words", () => {
    const words = (kind: Parameters<typeof traceOf>[2], node: number, to = -1) =>
      traceInWords(traceOf(graph, node, kind, to), `n${node}`, `n${to}`);
    expect(words("both", 1)).toBe("1 ancestor, 2 descendants");
    expect(words("paths", 0, 3)).toBe("2 nodes between \u201cn0\u201d and \u201cn3\u201d");
    expect(words("paths", 1, 2)).toContain("No path");
    expect(words("paths", 1, 1)).toContain("Select another node");
    expect(words("paths", 1, -1)).toContain("not in this graph");
  });

  it("is read from an address without trust", () => {
    expect(["both", "paths", "", "__proto__", undefined].map(readTrace)).toEqual(["both", "paths", null, null, null]);
  });
});

describe("adjacency", () => {
  it("has every pair once, in which one gradient is enough", () => {
    const doubled = chainOf(
      3,
      [
        [0, 1],
        [0, 1],
        [1, 2],
        [2, 2],
      ],
      [0, 2],
    );
    const { dependents, dependencies, carriesGradient } = adjacencyOf(doubled);
    expect([[...dependents.start], [...dependents.others]]).toEqual([
      [0, 1, 2, 2],
      [1, 2],
    ]);
    expect([[...dependencies.start], [...dependencies.others]]).toEqual([
      [0, 0, 1, 2],
      [0, 1],
    ]);
    expect([...carriesGradient]).toEqual([1, 0]);
    expect(adjacencyOf(doubled)).toBe(adjacencyOf(doubled));
  });
});
