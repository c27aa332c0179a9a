import { describe, expect, it } from "vitest";
import { Bundle } from "../../../src/data/bundle";
import { parseIndex } from "../../../src/data/format/bundle_index";
import type { GradientFacts, Network } from "../../../src/data/format/types";
import { sessionText, stateOf } from "../../../src/tabs/about/recordings";
import { estimateSentence, parameterChange } from "../../../src/tabs/tensors/parameter_change";
import {
  gradientSentences,
  isOutsideOptimizers,
  learningRatesText,
  lossScales,
  parameterSentences,
  placeOfParameter,
  settingsText,
  shardText,
} from "../../../src/ui/text/training_text";
import { buildBundle, type FixtureStep } from "../../support/bundle_fixture";

const parameter = (name: string, rest = {}) => ({
  name,
  module: 0,
  shape: [2],
  dtype: "F32",
  requires_grad: true,
  alias_of: null,
  ...rest,
});
const NETWORK: Network = {
  modules: [{ name: "net", type: "Net", parent: -1, description: "" }],
  parameters: [parameter("net.a"), parameter("net.b", { requires_grad: false }), parameter("net.c", { alias_of: "net.a" })],
  optimizers: [
    {
      name: "main",
      type: "Adam",
      groups: [
        { parameters: [0], options: { lr: 0.1, weight_decay: 0, amsgrad: false, fused: null, maximize: true } },
        { parameters: [], options: {} },
      ],
    },
    { name: "other", type: "SGD", groups: [{ parameters: [], options: {} }] },
  ],
};
const UNKNOWN: GradientFacts = {
  group: "g",
  backward_passes: null,
  loss_scale: null,
  changed_in_place_by: null,
  averaged_over_ranks: null,
};

describe("facts in words", () => {
  it("name the learning rates by optimizer, equal ones once", () => {
    expect(
      learningRatesText(
        [
          [0.1, 0.01],
          [1, 1],
        ],
        NETWORK,
      ),
    ).toBe("main 0.1, 0.01; other 1");
    expect(learningRatesText([[1e-5]], null)).toBe("1e-5");
    expect(learningRatesText([[1], [NaN]], { ...NETWORK, optimizers: null })).toBe("optimizer 1 1; optimizer 2 NaN");
  });

  it("name the loss scale once", () => {
    const gradients = [512, 512, null, 1024].map((loss_scale) => ({ ...UNKNOWN, loss_scale }));
    expect(lossScales({ session: 0, learning_rates: null, gradients, held_bytes: null, module_runs: -1, parameter_list: -1 })).toBe(
      "512, 1024",
    );
  });

  it("say what happened to gradients, and to those of parameters alone what concerns them alone", () => {
    const known: GradientFacts = {
      ...UNKNOWN,
      backward_passes: 2,
      loss_scale: 65536,
      changed_in_place_by: ["_foreach_mul_"],
      averaged_over_ranks: true,
    };
    const ofAll = ["Sum of 2 backward passes of this step.", "The loss scale of 65536 is divided out."];
    expect(gradientSentences(known, false)).toEqual(ofAll);
    expect(gradientSentences(known, true)).toEqual([
      ...ofAll,
      "Averaged over the ranks.",
      "Changed in place after the backward pass by: _foreach_mul_ (as clipping does).",
    ]);
    expect(gradientSentences(UNKNOWN, true)).toEqual([]);
    expect(gradientSentences({ ...UNKNOWN, backward_passes: 1, changed_in_place_by: [], averaged_over_ranks: false }, true)).toEqual([
      "From one backward pass.",
      "From this rank alone, not averaged over the ranks.",
      "Not changed between the backward pass and the recording.",
    ]);
    expect(gradientSentences({ ...UNKNOWN, backward_passes: 0, changed_in_place_by: ["add_"] }, true)).toEqual([
      "No backward pass of this step came before it.",
      "Changed in place after the backward pass by: add_.",
    ]);
  });

  it("say which part of a tensor a rank has", () =>
    expect(shardText({ shape: [20, 5], index: 0, count: 4 })).toBe("part 1 of 4 of [20, 5]"));

  it("say who holds a parameter, shared or not", () => {
    const held = (name: string, rates: number[][] | null = null) => parameterSentences(NETWORK, placeOfParameter(NETWORK, name)!, rates);
    expect(held("net.a")).toEqual([
      "The same tensor as \u201cnet.c\u201d.",
      "Held by main, group 1 of 2: lr 0.1, weight_decay 0, maximize.",
    ]);
    expect(held("net.c", [[0.05, 1]])).toEqual([
      "The same tensor as \u201cnet.a\u201d.",
      "Held by main, group 1 of 2: learning rate 0.05 on this step, weight_decay 0, maximize.",
    ]);
    expect(held("net.b")).toEqual(["Frozen: it requires no gradient.", "No tracked optimizer holds it."]);
    expect(parameterSentences({ ...NETWORK, optimizers: null }, { position: 1, shared: 1 }, null)).toEqual([
      "Frozen: it requires no gradient.",
    ]);
    expect(placeOfParameter(NETWORK, "net.z")).toBeNull();
    expect(settingsText({ options: {} })).toBe("no settings known");
  });

  it("know the parameters without a learning rate", () => {
    expect(["net.a", "net.b", "net.c", "h"].map((name) => isOutsideOptimizers(NETWORK, name))).toEqual([false, true, false, false]);
    expect(isOutsideOptimizers({ ...NETWORK, optimizers: null }, "net.b")).toBe(false);
  });

  it("say how sessions ended", () => {
    const session = (closed: boolean | null, first: number | null = 3, last: number | null = 9, steps = 4) => ({
      first,
      last,
      steps,
      closed,
    });
    expect([session(true), session(false), session(null)].map((last) => stateOf([session(true), last]))).toEqual([
      "finished",
      "its process ended early, or was still recording",
      "",
    ]);
    expect(stateOf([])).toBe("");
    expect(sessionText(session(false), false)).toBe("steps 3 to 9 (4 recorded); its process ended early");
    expect(sessionText(session(true, 3, 3, 1), true)).toBe("step 3");
    expect(sessionText(session(null, null, null, 0), true)).toBe("no steps in use");
  });
});

const STEP: FixtureStep = {
  step: 5,
  tensors: [{ name: "net.a", iteration: -1, kind: "kpis", shape: [2], batch_dimension: null, type: "parameter" }],
  groups: [{ name: "forward", tensors: [0] }],
  graphs: [],
  arrays: [
    { name: "counts", dtype: "I32", values: [0, 0, 0, 0, 0] },
    { name: "extrema.F32", dtype: "F32", values: [0, 0] },
    { name: "statistics.F32", dtype: "F32", values: [1, 2, 3, 4] },
    { name: "parameters.F64", dtype: "F64", values: [10, 11, 20, 21, NaN, 31] },
  ],
  facts: { session: 2, parameters: [0, 1], runs: { module: [0], training: [false], calls: [3] } },
};

async function opened(change: (step: FixtureStep) => FixtureStep = (step) => step) {
  const built = buildBundle([change(STEP)], undefined, NETWORK);
  const bundle = new Bundle(
    parseIndex(built.index),
    async (id) => built.chunks[id]!,
    () => undefined,
  );
  const trial = bundle.index.trials[0]!;
  const read = () => {
    const [content, facts] = [bundle.step(trial, 0), bundle.facts(trial, 0)];
    if (content.state !== "ready" || facts.state !== "ready" || facts.value === null) {
      return null;
    }
    const runs = bundle.moduleRuns(facts.value.module_runs);
    return { facts: facts.value, runs, of: (name: string) => parameterChange(bundle, content.value, NETWORK, facts.value!, name) };
  };
  for (let k = 0; k < 20 || (read() === null && k < 2000); k++) {
    read()?.of("net.a");
    read()?.of("net.b");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return read()!;
}

describe("what a step says about parameters", () => {
  it("is found by name, for shared ones under the name of the original", async () => {
    const { facts, runs, of } = await opened();
    expect(facts.session).toBe(2);
    expect(runs).toEqual({ state: "ready", value: { module: [0], training: [false], calls: [3] } });
    expect(of("net.a")).toEqual({ norm: 10, updateNorm: 20, leftOver: NaN, estimate: null });
    expect(of("net.b")).toEqual({ norm: 11, updateNorm: 21, leftOver: 31, estimate: null });
    expect(of("net.c")).toEqual(of("net.a"));
    expect(of("nobody")).toBeNull();
  });

  it("says from how many elements norms were estimated", async () => {
    const estimated = { parameter: [0, 1], elements: [1, 1], error: [0.02, null] };
    const { of } = await opened((step) => ({ ...step, facts: { ...step.facts, estimated } }));
    const count = NETWORK.parameters[0]!.shape.reduce((product, size) => product * size, 1);
    const start = `Both norms are estimated from 1 of ${count} elements.`;
    expect(estimateSentence(of("net.a")!)).toBe(`${start} The error of the update is about 2 %.`);
    expect(of("net.c")!.estimate).toEqual({ elements: 1, of: count, error: 0.02 });
    expect(estimateSentence({ ...of("net.b")!, updateNorm: 0 })).toMatch(/ None of these has changed; others may have\.$/);
    expect(estimateSentence({ ...of("net.a")!, estimate: null })).toBe("");
  });

  it("is nothing where the numbers are not as many as the list says, or without a list", async () => {
    const short = await opened((step) => ({ ...step, facts: { ...step.facts, parameters: [0] } }));
    expect(short.of("net.a")).toBeNull();
    const none = await opened((step) => ({ ...step, facts: { session: 0 } }));
    expect(none.of("net.a")).toBeNull();
  });
});
