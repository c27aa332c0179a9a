import { describe, expect, it } from "vitest";
import { parseCurves, parseGaps, parseGraph, parseLayout, parseNetwork, parseNotes } from "../../../src/data/format/documents";
import { DamagedBundleError } from "../../../src/data/format/errors";
import { parseFacts, parseModuleRuns, parseParameterList } from "../../../src/data/format/types";
import { graphJson } from "../../support/bundle_fixture";

type Json = Record<string, any>;

const GRAPH = () =>
  graphJson({
    nodes: [
      { name: "a", type: "input", column: 0, row: 0 },
      { name: "b", type: "loss", column: 1, row: 0 },
    ],
    tensors: [
      { name: "a", node: 0, role: "a", record_name: "a", record_iteration: 0 },
      { name: "b", node: 1, role: "b", record_name: "b", record_iteration: -1 },
    ],
    edges: [[0, 1]],
  }) as Json;

const LAYOUT = (): Json => ({
  tensors: {
    name: ["x"],
    iteration: [0],
    node: ["x"],
    role: ["x"],
    type: ["input"],
    kind: ["neuron"],
    dtype: ["F8_E4M3"],
    stored: ["F32"],
    shape: [[4, 2]],
    batch_dimension: [0],
    samples: [1],
  },
  groups: [{ name: "forward", tensors: [0] }],
});

const NETWORK = (): Json => ({
  modules: [{ name: "m", type: "Linear", parent: -1 }],
  parameters: [{ name: "m.w", module: 0, shape: [2], dtype: "F32", requires_grad: true }],
});

const FACTS = (): Json => ({
  session: 1,
  learning_rates: [[0.1, "NaN"]],
  gradients: [{ group: "g", backward_passes: 2, loss_scale: "Infinity", changed_in_place_by: ["mul_"], averaged_over_ranks: false }],
  held_bytes: 12,
  module_runs: 0,
  parameter_list: 3,
});

const RUNS = (): Json => ({ module: [0, 4], training: [true, false], calls: [1, 0] });

describe("documents", () => {
  it("are read", () => {
    expect(parseGraph(GRAPH(), "g").to).toEqual([1]);
    expect(parseGraph({ ...GRAPH(), without_gradient: [0] }, "g").without_gradient).toEqual([0]);
    const notKnown = { tensor: [0, 1], reason: [null, "later"] };
    expect(parseGraph({ ...GRAPH(), not_known: notKnown }, "g").not_known).toEqual(notKnown);
    expect(parseFacts(FACTS(), "f")).toEqual({
      ...FACTS(),
      learning_rates: [[0.1, NaN]],
      gradients: [{ ...FACTS().gradients[0], loss_scale: Infinity }],
    });
    expect(parseModuleRuns(RUNS(), "r")).toEqual(RUNS());
    expect(parseParameterList({ parameter: [0, 2] }, "p").parameter).toEqual([0, 2]);
    const optimizers = [
      {
        name: "o",
        type: "SGD",
        groups: [{ parameters: [0], options: JSON.parse('{"lr": "NaN", "fused": null, "nesterov": true, "__proto__": 7}') }],
      },
    ];
    const [optimizer] = parseNetwork({ ...NETWORK(), optimizers }, "n").optimizers!;
    expect(Object.entries(optimizer!.groups[0]!.options)).toEqual([
      ["lr", "NaN"],
      ["fused", null],
      ["nesterov", true],
      ["__proto__", 7],
    ]);
    const shard = { shape: [20, 5], index: 1, count: 4 };
    expect(parseLayout({ ...LAYOUT(), tensors: { ...LAYOUT().tensors, shard: [shard] } }, "l").tensors.shard).toEqual([shard]);
  });

  it("name the line of the code that made a tensor", () => {
    const sources = { file: ["a.py", "b.py"], line: [1, 41], function: ["<module>", "forward"] };
    const layout = parseLayout({ ...LAYOUT(), tensors: { ...LAYOUT().tensors, source: [1] }, sources }, "l");
    expect(layout.sources[layout.tensors.source[0]!]).toEqual({ file: "b.py", line: 41, function: "forward" });
    for (const [place, damaged] of [
      ["l.tensors.source[0]", { sources, tensors: { ...LAYOUT().tensors, source: [2] } }],
      ["l.tensors.source[0]", { tensors: { ...LAYOUT().tensors, source: [0] } }],
      ["l.sources.line[0]", { sources: { ...sources, line: [0, 1] } }],
      ["l.sources.line", { sources: { ...sources, line: [1] } }],
    ] as const) {
      expect(() => parseLayout({ ...LAYOUT(), ...damaged }, "l")).toThrow(`${place} should be`);
    }
  });

  it("of earlier versions lack what was added since", () => {
    expect(parseGraph(GRAPH(), "g").without_gradient).toEqual([]);
    expect(parseGraph(GRAPH(), "g").not_known).toEqual({ tensor: [], reason: [] });
    expect(parseLayout(LAYOUT(), "l").tensors.shard).toEqual([null]);
    expect(parseLayout(LAYOUT(), "l").tensors.source).toEqual([null]);
    expect(parseNetwork(NETWORK(), "n").optimizers).toBeNull();
    expect(parseFacts({}, "f")).toEqual({
      session: 0,
      learning_rates: null,
      gradients: [],
      held_bytes: null,
      module_runs: -1,
      parameter_list: -1,
    });
  });

  it("of all other kinds are read", () => {
    expect(parseLayout(LAYOUT(), "l").tensors.operation).toEqual([null]);
    expect(parseNetwork(NETWORK(), "n").parameters[0]?.alias_of).toBeNull();
    expect(parseNotes([{ text: "hi", step: null }, { text: "ho" }], "n")).toEqual([
      { text: "hi", step: null },
      { text: "ho", step: null },
    ]);
    expect(parseCurves([{ group: "g", name: "n", type: "t", t: [1, 2], v: ["NaN", "-Infinity"] }], "c")[0]?.v).toEqual([NaN, -Infinity]);
    expect(parseGaps([{ reason: "full disk", step: 3, extra: 1 }], "g")).toEqual([
      { reason: "full disk", step: 3, iteration: null, group: null, tensor: null },
    ]);
  });

  const hostile: [string, () => unknown][] = [
    ["an edge to nowhere", () => parseGraph({ ...GRAPH(), to: [2] }, "g")],
    ["an edge without an end", () => parseGraph({ ...GRAPH(), to: [] }, "g")],
    ["a node in no column", () => parseGraph({ ...GRAPH(), columns: { heading: [""] } }, "g")],
    ["a tensor of no node", () => parseGraph({ ...GRAPH(), tensors: { ...GRAPH().tensors, node: [0, 5] } }, "g")],
    ["an unknown type of node", () => parseGraph({ ...GRAPH(), nodes: { ...GRAPH().nodes, type: ["input", "evil"] } }, "g")],
    [
      "a batch dimension that the shape lacks",
      () => parseLayout({ ...LAYOUT(), tensors: { ...LAYOUT().tensors, batch_dimension: [2] } }, "l"),
    ],
    ["a negative size", () => parseLayout({ ...LAYOUT(), tensors: { ...LAYOUT().tensors, shape: [[-1]] } }, "l")],
    ["a group of tensors that do not exist", () => parseLayout({ ...LAYOUT(), groups: [{ name: "f", tensors: [1] }] }, "l")],
    ["a dtype from elsewhere", () => parseLayout({ ...LAYOUT(), tensors: { ...LAYOUT().tensors, dtype: ["toString"] } }, "l")],
    ["a module that is its own parent", () => parseNetwork({ ...NETWORK(), modules: [{ name: "m", type: "x", parent: 0 }] }, "n")],
    ["a parameter of no module", () => parseNetwork({ modules: [], parameters: NETWORK().parameters }, "n")],
    ["a curve whose columns differ", () => parseCurves([{ group: "g", name: "n", type: "t", t: [1], v: [] }], "c")],
    ["a value that is a word", () => parseCurves([{ group: "g", name: "n", type: "t", t: [1], v: ["high"] }], "c")],
    ["a note that is no text", () => parseNotes([{ text: 5 }], "n")],
    ["a gap without a reason", () => parseGaps([{ step: 1 }], "g")],
    ["a dependency without gradient that does not exist", () => parseGraph({ ...GRAPH(), without_gradient: [1] }, "g")],
    ["a tensor that does not exist", () => parseGraph({ ...GRAPH(), not_known: { tensor: [7], reason: [null] } }, "g")],
    ["a tensor without a reason", () => parseGraph({ ...GRAPH(), not_known: { tensor: [0], reason: [] } }, "g")],
    ["a dependency without gradient twice", () => parseGraph({ ...GRAPH(), from: [0, 0], to: [1, 1], without_gradient: [0, 0] }, "g")],
    [
      "a part of a tensor that there is not",
      () => parseLayout({ ...LAYOUT(), tensors: { ...LAYOUT().tensors, shard: [{ shape: [4], index: 2, count: 2 }] } }, "l"),
    ],
    [
      "an optimizer of parameters that do not exist",
      () => parseNetwork({ ...NETWORK(), optimizers: [{ name: "o", type: "SGD", groups: [{ parameters: [1], options: {} }] }] }, "n"),
    ],
    [
      "a setting that is a list",
      () =>
        parseNetwork(
          { ...NETWORK(), optimizers: [{ name: "o", type: "SGD", groups: [{ parameters: [], options: { betas: [0.9] } }] }] },
          "n",
        ),
    ],
    ["a learning rate that is a word", () => parseFacts({ ...FACTS(), learning_rates: [["high"]] }, "f")],
    ["less than no memory", () => parseFacts({ ...FACTS(), held_bytes: -1 }, "f")],
    ["gradients of no group", () => parseFacts({ ...FACTS(), gradients: [{}] }, "f")],
    ["gradients that are perhaps averaged", () => parseFacts({ ...FACTS(), gradients: [{ group: "g", averaged_over_ranks: "yes" }] }, "f")],
    ["modules out of order", () => parseModuleRuns({ ...RUNS(), module: [4, 0] }, "r")],
    ["modules whose mode is missing", () => parseModuleRuns({ ...RUNS(), training: [true] }, "r")],
    ["a parameter before the first", () => parseParameterList({ parameter: [-1] }, "p")],
    ["nothing", () => parseGraph(null, "g")],
    ["a list", () => parseLayout([], "l")],
  ];
  it.each(hostile)("refuse %s", (_, read) => expect(read).toThrow(DamagedBundleError));
});
