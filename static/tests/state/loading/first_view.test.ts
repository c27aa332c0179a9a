import { expect, it } from "vitest";
import type { Layout, Network } from "../../../src/data/format/types";
import { isOnlyWatched } from "../../../src/state/loading/first_view";

const NETWORK = { modules: [{ name: "model" }, { name: "model.net: a" }] } as Network;
const layoutOf = (...tensors: [name: string, type?: string, role?: string, kind?: string][]) =>
  ({
    tensors: {
      name: tensors.map(([name]) => name),
      type: tensors.map(([, type]) => type ?? "calculated"),
      role: tensors.map(([name, , role]) => role ?? name),
      kind: tensors.map(([, , , kind]) => kind ?? "neuron"),
    },
  }) as unknown as Layout;

it.each([
  [
    "what went into modules and came out",
    layoutOf(["model: input x", "input"], ["model: output"], ["model (call 2): output[0]"], ["model.net: a: output.logits"]),
    true,
  ],
  ["gradients through single calls", layoutOf(["model: output"], ["model.net: a (call 2): gradient of input query"]), true],
  ["parameters and buffers", layoutOf(["model.weight", "parameter"], ["model.mean", "calculated", "buffer mean"], ["model: output"]), true],
  [
    "the gradient through one call",
    layoutOf(["model: output"], ["model (call 2): gradient of input x"], ["model.net: a: gradient of input[0]"]),
    true,
  ],
  [
    "what a script computes from an output",
    layoutOf(
      ["model: output"],
      ["softmax", "calculated", "softmax", "kpis"],
      ["cross_entropy: target", "target", "cross_entropy: target", "kpis"],
      ["cross_entropy", "loss", "cross_entropy", "single_value"],
    ),
    true,
  ],
  ["a name of one's own", layoutOf(["model: output"], ["hidden"]), false],
  ["a name that only looks like that of a module", layoutOf(["model: output"], ["loss: output"]), false],
])("is told from what was registered by hand: %s", (_, layout, expected) => {
  expect(isOnlyWatched(layout, NETWORK)).toBe(expected);
});
