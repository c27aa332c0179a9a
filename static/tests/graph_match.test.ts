import { describe, expect, it } from "vitest";
import { parseGraph } from "../src/data/documents";
import type { Graph } from "../src/data/types";
import { sentenceOf } from "../src/views/compare/graph_comparison";
import { matchGraphs } from "../src/views/compare/graph_match";
import { graphJson } from "./fixture";

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
  const a = graphOf(["x", "h/one", "h/two", "extra", "loss"], [[0, 1], [1, 2], [2, 3], [3, 4]]);
  const b = graphOf(["loss", "h/one", "h/three", "x"], [[3, 1], [1, 0]]);

  it("are matched by name, not by place", () => {
    const match = matchGraphs(a, b);
    expect(match.tensorsOnlyInA).toEqual([{ node: "h", role: "two" }, { node: "extra", role: "extra" }]);
    expect(match.tensorsOnlyInB).toEqual([{ node: "h", role: "three" }]);
    // A connection within a node is not one between nodes.
    expect(match.connectionsOnlyInA).toEqual([{ from: "h", to: "extra" }, { from: "extra", to: "loss" }]);
    expect(match.connectionsOnlyInB).toEqual([{ from: "h", to: "loss" }]);
    expect([...match.marks]).toEqual([[1, "\u2260"], [2, "A"]]);
    expect(sentenceOf(match, true)).toBe("Graph beside B: 2 tensors only in A, 1 only in B; 2 connections only in A, 1 only in B.");
    expect(sentenceOf(match, false)).toBe("Graph beside B: 2 tensors only in A, 1 only in B. Connections were not recorded for both.");
  });

  it("are equal whatever their order, and whichever iteration something comes from", () => {
    const match = matchGraphs(graphOf(["m*old/m__from_iteration_2", "x"], [[0, 1]]), graphOf(["x", "m*old/m__from_iteration_7"], [[1, 0]]));
    expect(sentenceOf(match, true)).toBe("The graphs of A and B are equal.");
    expect(sentenceOf(match, false)).toBe("A and B have the same tensors. Connections were not recorded for both.");
    expect(match.marks.size).toBe(0);
  });

  it("say what B alone has", () => {
    const match = matchGraphs(graphOf(["x"], []), graphOf(["x", "y"], [[0, 1]]));
    expect(sentenceOf(match, true)).toBe("Graph beside B: 1 tensor only in B; 1 connection only in B.");
  });
});
