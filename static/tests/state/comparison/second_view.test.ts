import { beforeEach, describe, expect, it } from "vitest";
import { Bundle } from "../../../src/data/bundle";
import { parseIndex } from "../../../src/data/format/bundle_index";
import { openSecond, otherTrial, type Second, trialLabel } from "../../../src/state/comparison/second_view";
import { ANY_TYPE, ONLY_RANK, type Selection } from "../../../src/state/selection/selection";
import { buildBundle, type FixtureStep } from "../../support/bundle_fixture";

function step(number: number): FixtureStep {
  return {
    step: number,
    type: "train",
    tensors: [{ name: "x", iteration: 0, type: "input", kind: "kpis", shape: [4, 3] }],
    groups: [{ name: "forward", tensors: [0] }],
    graphs: [null],
    arrays: [
      { name: "counts", dtype: "I32", values: [0, 0, 0, 0, 0] },
      { name: "extrema.F32", dtype: "F32", values: [0, 0] },
      { name: "statistics.F32", dtype: "F32", values: Array.from({ length: 12 }, (_, k) => k) },
    ],
  };
}

const WANTED: Selection = {
  trial: "b",
  rank: "0",
  recording: "forward",
  stepType: ANY_TYPE,
  step: 20,
  iteration: 0,
  node: "x",
  role: "x",
  aggregation: "batch_mean",
};

let bundle: Bundle;

beforeEach(() => {
  const trials = [
    { name: "a", rank: 0, steps: [0] },
    { name: "b", rank: 0, steps: [0, 1] },
    { name: "b", rank: 1, steps: [1] },
  ];
  const { index, chunks } = buildBundle([step(10), step(20)], trials);
  bundle = new Bundle(
    parseIndex(index),
    async (id) => chunks[id]!,
    () => undefined,
  );
});

async function opened(changed: Partial<Selection> = {}): Promise<Second> {
  for (let k = 0; k < 500; k++) {
    const second = openSecond(bundle, { ...WANTED, ...changed });
    if (second.state === "ready") {
      return second.value;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error("The second view does not load.");
}

describe("the second view", () => {
  it("has the record that it names", async () => {
    const second = await opened();
    expect(second.missing).toBeNull();
    expect(second.open?.trial.steps.step[second.open.step]).toBe(20);
    expect(second.offer).toMatchObject({ node: "x", role: "x" });
    expect(second.record).toBeDefined();
  });

  it("does not depend on the type of its step", async () => {
    expect((await opened({ stepType: "test" })).missing).toBeNull();
  });

  it("takes the only rank of a trial for any rank", async () => {
    expect((await opened({ trial: "a", step: 10, rank: "3" })).missing).toBeNull();
    expect((await opened({ trial: "a", step: 10, rank: ONLY_RANK })).missing).toBeNull();
  });

  it.each([
    [{ trial: "c" }, "B has no trial \u201cc\u201d."],
    [{ rank: "7" }, "B has no rank \u201c7\u201d."],
    [{ step: 15 }, "B has no training step \u201c15\u201d."],
    [{ iteration: 4 }, "B has no iteration \u201c4\u201d."],
    [{ node: "y" }, "B has no node \u201cy\u201d."],
    [{ role: "y" }, "B has no role \u201cy\u201d."],
    [{ recording: "gradients" }, "B has no recording type \u201cgradients\u201d."],
    [{ aggregation: "sample_9" }, "B has no batch or sample \u201csample_9\u201d."],
  ])("names what it lacks: %j", async (changed, missing) => {
    const second = await opened(changed);
    expect(second.missing).toBe(missing);
    expect(second.record).toBeUndefined();
  });

  it("knows whether its trial is another one, and names it by its rank beside one of the same name", () => {
    const [a, first, second] = bundle.index.trials as [never, never, never];
    expect(otherTrial(bundle, WANTED, a)).toBe(first);
    expect(otherTrial(bundle, WANTED, first)).toBeNull();
    expect(otherTrial(bundle, { ...WANTED, trial: "c" }, a)).toBeNull();
    expect([trialLabel(first, a), trialLabel(second, first)]).toEqual(["b", "b, rank 1"]);
  });
});
