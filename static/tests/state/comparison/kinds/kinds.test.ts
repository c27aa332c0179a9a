import { describe, expect, it, vi } from "vitest";
import type { KindDifference } from "../../../../src/state/comparison/kinds/difference";
import { linkToDifference } from "../../../../src/state/comparison/links";
import type { Store } from "../../../../src/state/store";
import { kindsSentence } from "../../../../src/tabs/tensors/compare/kind_list";
import { buildBundle, type FixtureStep, type FixtureTensor } from "../../../support/bundle_fixture";
import { dataOfBundle, shownBy, storeOf } from "../../../support/open_store";

type Edge = [from: string, to: string, withoutGradient?: true];

interface Written {
  tensors: readonly (Partial<FixtureTensor> & { name: string })[];
  edges?: readonly Edge[];
  network?: unknown;
  run?: object;
  recording?: object;
  iterations?: number;
}

/** A step of a recording written by hand: every tensor in every iteration. */
function stepOf({ tensors, edges = [], iterations = 1 }: Written): FixtureStep {
  const all = Array.from({ length: iterations }, (_, iteration) =>
    tensors.map((tensor) => ({ iteration, kind: "kpis", shape: [4, 3], ...tensor })),
  ).flat();
  const at = (name: string): number => tensors.findIndex((tensor) => tensor.name === name);
  const graphs = Array.from({ length: iterations }, (_, iteration) => ({
    nodes: tensors.map(({ name }, column) => ({ name, type: "calculated", column, row: 0 })),
    tensors: tensors.map(({ name }, node) => ({ name, node, role: name, record_name: name, record_iteration: iteration })),
    edges: edges.map(([from, to]): [number, number] => [at(from), at(to)]),
    without_gradient: edges.flatMap(([, , without], k) => (without ? [k] : [])),
  }));
  return {
    step: 0,
    tensors: all,
    groups: [{ name: "forward", tensors: all.map((_, k) => k) }],
    graphs,
    arrays: [
      { name: "counts", dtype: "I32", values: all.flatMap(() => [0, 0, 0, 0, 0]) },
      { name: "extrema.F32", dtype: "F32", values: all.flatMap(() => [0, 0]) },
      {
        name: "statistics.F32",
        dtype: "F32",
        values: all.flatMap(({ batch_dimension: batch }) => new Array<number>(batch === null ? 4 : 12).fill(0)),
      },
    ],
  };
}

const NO_RUN = {
  started: "",
  seconds: null,
  ending: "finished",
  error: "",
  error_step: null,
  trained: null,
  recorded: 1,
  parameters: 0,
  trainable: 0,
  devices: [],
  dtypes: [],
  optimizers: [],
  config: [],
};

async function compared(a: Written, b: Written): Promise<{ store: Store; kinds: readonly KindDifference[] }> {
  const sides = [a, b];
  const trials = sides.map(({ network }, k) => ({ name: "ab"[k]!, rank: 0, steps: [k], ...(network !== undefined && { network }) }));
  const built = buildBundle(sides.map(stepOf), trials);
  const store = storeOf(
    dataOfBundle(built, (index) => {
      index.runs = sides.map(({ run }) => ({ ...NO_RUN, ...run }));
      index.about.recordings = sides.map(({ recording }, k) => ({ trial: "ab"[k], ...recording }));
    }),
  );
  await shownBy(store, { trial: "a" });
  store.setPin({ trial: "b" });
  const networks = () => store.bundle.index.trials.every((trial) => store.bundle.network(trial).state === "ready");
  await vi.waitUntil(() => networks() && store.kinds.value !== null);
  return { store, kinds: store.kinds.value! };
}

const shown = (kinds: readonly KindDifference[]) => kinds.map(({ kind, name, a, b, iterations }) => [kind, name, a, b, iterations.length]);

const X = { name: "x", shape: [4, 3] };

describe("two recordings differ in structure", () => {
  it("not at all if both computed the same", async () => {
    const same: Written = { tensors: [X, { name: "h", operation: "AddmmBackward0" }], edges: [["x", "h"]] };
    const { kinds } = await compared(same, structuredClone(same));
    expect(kinds).toEqual([]);
    expect(kindsSentence(kinds)).toMatch(/^No difference in structure/);
  });

  it("where another operation made the same tensor: once, however many iterations there are", async () => {
    const of = (operation: string): Written => ({ tensors: [X, { name: "out", operation }], edges: [["x", "out"]], iterations: 3 });
    const { kinds } = await compared(of("LeakyReluBackward0"), of("AddmmBackward0"));
    expect(shown(kinds)).toEqual([["operation", "out", "LeakyRelu", "Addmm", 3]]);
    expect(kinds[0]?.iterations).toEqual([0, 1, 2]);
    expect(kindsSentence(kinds)).toBe("1 difference in structure: operation (1).");
  });

  it("where nothing computed a tensor any more, but not where operations were not recorded", async () => {
    const [leaf, computed] = [{ name: "m" }, { name: "m", operation: "TanhBackward0" }];
    const other = { name: "h", operation: "AddmmBackward0" };
    expect(shown((await compared({ tensors: [other, leaf] }, { tensors: [other, computed] })).kinds)).toEqual([
      ["operation", "m", "none", "Tanh", 1],
    ]);
    expect((await compared({ tensors: [leaf] }, { tensors: [computed] })).kinds).toEqual([]);
  });

  it("in shape, apart from the size of the batch, and in dtype", async () => {
    const { kinds } = await compared(
      {
        tensors: [
          { name: "h", shape: [4, 64] },
          { name: "y", shape: [4, 2] },
          { name: "w", dtype: "F32" },
        ],
      },
      {
        tensors: [
          { name: "h", shape: [4, 32] },
          { name: "y", shape: [8, 2] },
          { name: "w", dtype: "F16" },
        ],
      },
    );
    expect(shown(kinds)).toEqual([
      ["shape", "h", "batch \u00d7 64", "batch \u00d7 32", 1],
      ["dtype", "w", "F32", "F16", 1],
    ]);
  });

  it("in nodes, connections and gradients; a connection of a node that one lacks is not listed again", async () => {
    const without: Written = {
      tensors: [X, { name: "h" }, { name: "y" }],
      edges: [
        ["x", "h"],
        ["x", "y"],
        ["h", "y", true],
      ],
    };
    const withNorm: Written = {
      tensors: [X, { name: "h" }, { name: "norm" }, { name: "y" }],
      edges: [
        ["x", "h"],
        ["h", "norm"],
        ["norm", "y"],
        ["h", "y"],
      ],
    };
    const { store, kinds } = await compared(without, withNorm);
    expect(shown(kinds)).toEqual([
      ["node", "norm", undefined, true, 0],
      ["connection", "x \u2192 y", true, undefined, 0],
      ["gradient", "h \u2192 y", undefined, true, 0],
    ]);
    expect(shown((await compared(withNorm, without)).kinds)).toEqual([
      ["node", "norm", true, undefined, 0],
      ["connection", "x \u2192 y", undefined, true, 0],
      ["gradient", "h \u2192 y", true, undefined, 0],
    ]);
    // What only B has is shown in B, which changes places with A.
    const links = kinds.map((each) => decodeURIComponent(linkToDifference(store, each)));
    expect(links[0]).toContain("trial=b");
    expect(links[0]).toContain("node=norm");
    expect(links[0]).toContain("pin=trial=a");
    expect(links[1]).toContain("&trial=a");
    expect(links[1]).toContain("node=y");
  });

  it("in hyperparameters, optimizers and software", async () => {
    const adam = (lr: number) => ({ name: "Adam", groups: 1, options: { lr, amsgrad: false } });
    const { store, kinds } = await compared(
      {
        tensors: [X],
        run: {
          config: [
            ["seed", 0],
            ["width", 64],
            ["clip", null],
          ],
          optimizers: [adam(0.1)],
        },
        recording: { torch_version: "2.5" },
      },
      {
        tensors: [X],
        run: {
          config: [
            ["seed", 0],
            ["width", 32],
            ["extra", true],
          ],
          optimizers: [adam(0.2)],
        },
        recording: { torch_version: "2.6" },
      },
    );
    expect(shown(kinds)).toEqual([
      ["hyperparameter", "width", 64, 32, 0],
      ["hyperparameter", "clip", null, undefined, 0],
      ["hyperparameter", "extra", undefined, true, 0],
      ["optimizer", "Adam lr", 0.1, 0.2, 0],
      ["software", "PyTorch", "2.5", "2.6", 0],
    ]);
    expect(linkToDifference(store, kinds[0]!)).toContain("tab=overview");
  });

  it("in an optimizer of another type, and nothing more about it", async () => {
    const of = (name: string, lr: number): Written => ({ tensors: [X], run: { optimizers: [{ name, groups: 1, options: { lr } }] } });
    expect(shown((await compared(of("Adam", 1), of("SGD", 2))).kinds)).toEqual([["optimizer", "optimizer 1", "Adam", "SGD", 0]]);
  });

  it("in modules, without those inside a module that one lacks, and in which parameters are trained", async () => {
    const module = (name: string, type: string, parent: number, description = "") => ({ name, type, parent, description });
    const weight = (requires_grad: boolean) => ({ name: "net.weight", module: 0, shape: [3], dtype: "F32", requires_grad, alias_of: null });
    const network = (modules: object[], isTrained: boolean) => ({ modules, parameters: [weight(isTrained)], optimizers: null });
    const { kinds } = await compared(
      { tensors: [X], network: network([module("net", "Net", -1), module("net.a", "Linear", 0, "in=3, out=64")], true) },
      {
        tensors: [X],
        network: network(
          [
            module("net", "Net", -1),
            module("net.a", "Linear", 0, "in=3, out=32"),
            module("net.b", "Block", 0),
            module("net.b.c", "ReLU", 2),
          ],
          false,
        ),
      },
    );
    expect(shown(kinds)).toEqual([
      ["module", "net.a", "Linear(in=3, out=64)", "Linear(in=3, out=32)", 0],
      ["module", "net.b", undefined, "Block", 0],
      ["parameter", "net.weight", "trained", "frozen", 0],
    ]);
  });

  it("in the function that made a tensor, but not in its line", async () => {
    const at = (line: number, name: string) => ({ file: "model.py", line, function: name });
    const { kinds } = await compared(
      {
        tensors: [
          { name: "h", source: at(3, "forward") },
          { name: "y", source: at(9, "head") },
        ],
      },
      {
        tensors: [
          { name: "h", source: at(4, "forward") },
          { name: "y", source: at(5, "forward") },
        ],
      },
    );
    expect(shown(kinds)).toEqual([["code", "y", "head in model.py", "forward in model.py", 1]]);
  });

  it("in the number of iterations, once", async () => {
    const of = (iterations: number): Written => ({ tensors: [X, { name: "h" }], edges: [["x", "h"]], iterations });
    expect(shown((await compared(of(3), of(2))).kinds)).toEqual([["iterations", "iterations", 3, 2, 0]]);
  });

  it("and are compared again only if something else is shown", async () => {
    const { store, kinds } = await compared(
      { tensors: [X, { name: "h", operation: "A" }] },
      { tensors: [X, { name: "h", operation: "B" }] },
    );
    store.selectNode("h");
    store.chunksChanged();
    expect(store.kinds.value).toBe(kinds);
  });
});
