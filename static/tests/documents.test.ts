import { describe, expect, it } from "vitest";
import { parseCurves, parseGaps, parseGraph, parseLayout, parseNetwork, parseNotes } from "../src/data/documents";
import { DamagedBundleError } from "../src/data/errors";
import { graphJson } from "./fixture";

type Json = Record<string, any>;

const GRAPH = () =>
  graphJson({
    nodes: [{ name: "a", type: "input", column: 0, row: 0 }, { name: "b", type: "loss", column: 1, row: 0 }],
    tensors: [
      { name: "a", node: 0, role: "a", record_name: "a", record_iteration: 0 },
      { name: "b", node: 1, role: "b", record_name: "b", record_iteration: -1 },
    ],
    edges: [[0, 1]],
  }) as Json;

const LAYOUT = (): Json => ({
  tensors: {
    name: ["x"], iteration: [0], node: ["x"], role: ["x"], type: ["input"], kind: ["neuron"], dtype: ["F8_E4M3"], stored: ["F32"], shape: [[4, 2]], batch_dimension: [0], samples: [1],
  },
  groups: [{ name: "forward", tensors: [0] }],
});

const NETWORK = (): Json => ({
  modules: [{ name: "m", type: "Linear", parent: -1 }],
  parameters: [{ name: "m.w", module: 0, shape: [2], dtype: "F32", requires_grad: true }],
});

describe("documents", () => {
  it("are read", () => {
    expect(parseGraph(GRAPH(), "g").to).toEqual([1]);
    expect(parseLayout(LAYOUT(), "l").tensors.operation).toEqual([null]);
    expect(parseNetwork(NETWORK(), "n").parameters[0]?.alias_of).toBeNull();
    expect(parseNotes([{ text: "hi", step: null }, { text: "ho" }], "n")).toEqual([{ text: "hi", step: null }, { text: "ho", step: null }]);
    expect(parseCurves([{ group: "g", name: "n", type: "t", t: [1, 2], v: ["NaN", "-Infinity"] }], "c")[0]?.v).toEqual([NaN, -Infinity]);
    expect(parseGaps([{ reason: "full disk", step: 3, extra: 1 }], "g")).toEqual([{ reason: "full disk", step: 3, iteration: null, group: null, tensor: null }]);
  });

  const hostile: [string, () => unknown][] = [
    ["an edge to nowhere", () => parseGraph({ ...GRAPH(), to: [2] }, "g")],
    ["an edge without an end", () => parseGraph({ ...GRAPH(), to: [] }, "g")],
    ["a node in no column", () => parseGraph({ ...GRAPH(), columns: { heading: [""] } }, "g")],
    ["a tensor of no node", () => parseGraph({ ...GRAPH(), tensors: { ...GRAPH()["tensors"], node: [0, 5] } }, "g")],
    ["an unknown type of node", () => parseGraph({ ...GRAPH(), nodes: { ...GRAPH()["nodes"], type: ["input", "evil"] } }, "g")],
    ["a batch dimension that the shape lacks", () => parseLayout({ ...LAYOUT(), tensors: { ...LAYOUT()["tensors"], batch_dimension: [2] } }, "l")],
    ["a negative size", () => parseLayout({ ...LAYOUT(), tensors: { ...LAYOUT()["tensors"], shape: [[-1]] } }, "l")],
    ["a group of tensors that do not exist", () => parseLayout({ ...LAYOUT(), groups: [{ name: "f", tensors: [1] }] }, "l")],
    ["a dtype from elsewhere", () => parseLayout({ ...LAYOUT(), tensors: { ...LAYOUT()["tensors"], dtype: ["toString"] } }, "l")],
    ["a module that is its own parent", () => parseNetwork({ ...NETWORK(), modules: [{ name: "m", type: "x", parent: 0 }] }, "n")],
    ["a parameter of no module", () => parseNetwork({ modules: [], parameters: NETWORK()["parameters"] }, "n")],
    ["a curve whose columns differ", () => parseCurves([{ group: "g", name: "n", type: "t", t: [1], v: [] }], "c")],
    ["a value that is a word", () => parseCurves([{ group: "g", name: "n", type: "t", t: [1], v: ["high"] }], "c")],
    ["a note that is no text", () => parseNotes([{ text: 5 }], "n")],
    ["a gap without a reason", () => parseGaps([{ step: 1 }], "g")],
    ["nothing", () => parseGraph(null, "g")],
    ["a list", () => parseLayout([], "l")],
  ];
  it.each(hostile)("refuse %s", (_, read) => expect(read).toThrow(DamagedBundleError));
});
