import { describe, expect, it } from "vitest";
import { parseGraph } from "../../../../../src/data/format/documents";
import type { Graph } from "../../../../../src/data/format/types";
import { matchGraphs } from "../../../../../src/state/comparison/graph_match";
import {
  type DifferingEdge,
  differencesInWords,
  differingEdges,
  drawnDifferences,
  MOST_DIFFERING_EDGES,
} from "../../../../../src/tabs/tensors/graph/compare/differing_edges";
import { sentenceOf } from "../../../../../src/tabs/tensors/graph/compare/graph_comparison";
import { readFilter } from "../../../../../src/tabs/tensors/graph/layout/filter";
import type { Items } from "../../../../../src/tabs/tensors/graph/layout/items";
import { layoutOf } from "../../../../../src/tabs/tensors/graph/layout/layout";
import { graphJson } from "../../../../support/bundle_fixture";

/** A graph with a tensor per `node/role`, and edges between tensors. */
function graphOf(tensors: readonly string[], edges: readonly [number, number][]): Graph {
  const names = [...new Set(tensors.map((tensor) => tensor.split("/")[0]!))];
  const nodes = names.map((name, column) => ({ name, type: "calculated", column, row: 0 }));
  const rows = tensors.map((tensor) => {
    const [node, role] = tensor.split("/") as [string, string | undefined];
    return { name: tensor, node: names.indexOf(node), role: role ?? node, record_name: tensor, record_iteration: 0 };
  });
  return parseGraph(graphJson({ nodes, tensors: rows, edges: edges.map(([from, to]): [number, number] => [from, to]) }), "graph");
}

describe("two graphs", () => {
  const a = graphOf(
    ["x", "h/one", "h/two", "extra", "loss"],
    [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ],
  );
  const b = graphOf(
    ["loss", "h/one", "h/three", "x"],
    [
      [3, 1],
      [1, 0],
    ],
  );

  it("are matched by name, not by place", () => {
    const match = matchGraphs(a, b);
    expect(match.tensorsOnlyInA).toEqual([
      { node: "h", role: "two" },
      { node: "extra", role: "extra" },
    ]);
    expect(match.tensorsOnlyInB).toEqual([{ node: "h", role: "three" }]);
    // A connection within a node is not one between nodes.
    expect(match.connectionsOnlyInA).toMatchObject([
      { from: "h", to: "extra" },
      { from: "extra", to: "loss" },
    ]);
    expect(match.connectionsOnlyInB).toMatchObject([{ from: "h", to: "loss" }]);
    expect([...match.marks]).toEqual([
      [1, "\u2260"],
      [2, "A"],
    ]);
    expect(sentenceOf({ match, otherKinds: 0, hasConnections: true })).toBe(
      "Graph beside B: 2 tensors only in A, 1 only in B; 2 connections only in A, 1 only in B.",
    );
    expect(sentenceOf({ match, otherKinds: 0, hasConnections: false })).toBe(
      "Graph beside B: 2 tensors only in A, 1 only in B. Connections were not recorded for both.",
    );
  });

  it("are equal whatever their order, and whichever iteration something comes from", () => {
    const match = matchGraphs(graphOf(["m*old/m__from_iteration_2", "x"], [[0, 1]]), graphOf(["x", "m*old/m__from_iteration_7"], [[1, 0]]));
    expect(sentenceOf({ match, otherKinds: 0, hasConnections: true })).toBe("The graphs of A and B are equal.");
    expect(sentenceOf({ match, otherKinds: 0, hasConnections: false })).toBe(
      "A and B have the same tensors. Connections were not recorded for both.",
    );
    expect(match.marks.size).toBe(0);
  });

  it("differ in connections between nodes that A draws; those of a group are those of its nodes", () => {
    const graphA = graphOf(
      ["x", "p.a", "p.b", "y"],
      [
        [0, 1],
        [1, 3],
      ],
    );
    const graphB = graphOf(
      ["x", "p.a", "p.b", "y", "z"],
      [
        [0, 2],
        [1, 3],
        [0, 3],
        [3, 4],
      ],
    );
    const edgesOf = (items: Items) =>
      differingEdges(matchGraphs(graphA, graphB), graphA, items).map(({ from, to, onlyIn }) => [from, to, onlyIn]);
    // The connection to z is left out, since A has no such node.
    expect(edgesOf(layoutOf(graphA, null, readFilter("", "")).items)).toEqual([
      [0, 1, "A"],
      [0, 2, "B"],
      [0, 3, "B"],
    ]);
    const collapsed = layoutOf(graphA, { level: 1, exceptions: new Set() }, readFilter("", "")).items;
    expect(edgesOf(collapsed)).toEqual([[0, 3, "B"]]);
  });

  it("are drawn with those differing connections that do not hide graphA another", () => {
    const edges = (count: number): DifferingEdge[] =>
      Array.from({ length: count }, (_, k) => ({ from: k, to: k + 1, onlyIn: "B", carriesGradient: true }));
    expect(drawnDifferences(edges(MOST_DIFFERING_EDGES), 5).edges).toHaveLength(MOST_DIFFERING_EDGES);
    const few = drawnDifferences(edges(1201), 5);
    expect(few.edges.map(({ from, to }) => [from, to])).toEqual([
      [4, 5],
      [5, 6],
    ]);
    expect(differencesInWords(few)).toEqual(["1,201 connections are only in A or B. Those of the selected node are drawn."]);
    expect(differencesInWords(drawnDifferences(edges(3), 9))).toEqual([]);
  });

  it("are not equal where one of the nodes has tensors of another kind, which is marked", () => {
    const graph = graphOf(["x", "h"], [[0, 1]]);
    const match = matchGraphs(graph, graph, new Set(["h"]));
    expect([...match.marks]).toEqual([[1, "\u2260"]]);
    expect(sentenceOf({ match, otherKinds: 1, hasConnections: true })).toBe(
      "Graph beside B: 1 node with another operation, shape or dtype.",
    );
  });

  it("say what B alone has", () => {
    const match = matchGraphs(graphOf(["x"], []), graphOf(["x", "y"], [[0, 1]]));
    expect(sentenceOf({ match, otherKinds: 0, hasConnections: true })).toBe("Graph beside B: 1 tensor only in B; 1 connection only in B.");
  });
});
