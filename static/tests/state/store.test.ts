import { beforeEach, describe, expect, it } from "vitest";
import { Bundle } from "../../src/data/bundle";
import { parseIndex } from "../../src/data/format/bundle_index";
import { MissingChunkError } from "../../src/data/format/errors";
import {
  aggregationOptions,
  countedSteps,
  rankOptions,
  recordingOptions,
  roleOptions,
  stepsOfType,
  stepTypeOptions,
  trialOptions,
} from "../../src/state/selection/options";
import { Store } from "../../src/state/store";
import { hasValues } from "../../src/tabs/tensors/use_first_values";
import { buildBundle, type FixtureStep, type FixtureTrial } from "../support/bundle_fixture";

const GRAPH = {
  nodes: [
    { name: "h*old", type: "calculated", column: 0, row: 0 },
    { name: "x", type: "input", column: 1, row: 0 },
    { name: "w", type: "parameter", column: 1, row: 1 },
  ],
  tensors: [
    { name: "h", node: 0, role: "h__from_iteration_0", record_name: "h", record_iteration: 0 },
    { name: "x", node: 1, role: "x", record_name: "x", record_iteration: 0 },
    { name: "w", node: 2, role: "w", record_name: "w", record_iteration: -1 },
  ],
  edges: [] as [number, number][],
};

/** Two inputs' statistics: x with a batch of four and two samples, and a parameter. */
function step(number: number, type: string, groups = ["forward", "gradients"]): FixtureStep {
  const records = groups.flatMap(() => [0, 1]);
  return {
    step: number,
    type,
    tensors: [
      { name: "x", iteration: 0, type: "input", kind: "kpis", shape: [4, 3], samples: 2 },
      { name: "w", iteration: -1, type: "parameter", kind: "kpis", shape: [3], batch_dimension: null },
      { name: "h", iteration: 0, kind: "kpis", shape: [4, 3] },
    ],
    groups: groups.map((name) => ({ name, tensors: name === "forward" ? [0, 1, 2] : [0, 1] })),
    graphs: [GRAPH],
    arrays: [
      { name: "counts", dtype: "I32", values: Array.from({ length: 5 * (records.length + 1) }, () => 0) },
      { name: "extrema.F32", dtype: "F32", values: Array.from({ length: 2 * (records.length + 1) }, () => 0) },
      { name: "statistics.F32", dtype: "F32", values: Array.from({ length: groups.length * 24 + 12 }, (_, k) => k) },
    ],
  };
}

let store: Store;
let missing: Set<number>;

beforeEach(() => {
  openBundle([step(10, "train"), step(20, "test"), step(30, "train", ["forward"])]);
});

function openBundle(steps: FixtureStep[], trials?: FixtureTrial[]): void {
  const { index, chunks } = buildBundle(steps, trials);
  missing = new Set();
  const read = async (id: number): Promise<string> => {
    if (missing.has(id)) {
      throw new MissingChunkError("gone", true);
    }
    return chunks[id]!;
  };
  const bundle: Bundle = new Bundle(parseIndex(index), read, () => store.chunksChanged());
  store = new Store(bundle);
}

async function settled(): Promise<void> {
  for (let k = 0; k < 500 && (store.bundle.chunks.outstanding > 0 || k < 3); k++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function opened(selection = {}): Promise<void> {
  store.open({ selection });
  await settled();
}

describe("the first values", () => {
  it("are there when the statistics of what is shown are", async () => {
    expect(hasValues(store)).toBe(false);
    await opened();
    expect(hasValues(store)).toBe(false);
    const { content } = store.shown.value!.open!;
    store.bundle.chunks.request(content.numbers.overviewChunks(store.record.value!, 0));
    await settled();
    expect(hasValues(store)).toBe(true);
  });

  it("are not waited for where nothing was recorded", () => {
    openBundle([]);
    store.open({ selection: {} });
    expect(hasValues(store)).toBe(true);
  });
});

describe("the store", () => {
  it("opens the first input of the first step", async () => {
    await opened();
    expect(store.selection.value).toEqual({
      trial: "trial",
      rank: "",
      recording: "forward",
      stepType: "any_value",
      step: 10,
      iteration: 0,
      node: "x",
      role: "x",
      aggregation: "batch_mean",
    });
    expect(store.messages.value).toEqual([]);
    expect(store.record.value?.items).toContain("mean");
  });

  it("opens exactly what a link names", async () => {
    const selection = {
      trial: "trial",
      rank: "",
      recording: "gradients",
      stepType: "test",
      step: 20,
      iteration: 0,
      node: "w",
      role: "w",
      aggregation: "has_no_batch_dimension",
    };
    await opened(selection);
    expect(store.selection.value).toEqual(selection);
    expect(store.messages.value).toEqual([]);
  });

  it("says what a link names that does not exist", async () => {
    await opened({ step: 11, node: "nobody", aggregation: "sample_1" });
    expect(store.selection.value).toMatchObject({ step: 10, node: "x", aggregation: "sample_1" });
    expect(store.messages.value).toHaveLength(1);
    expect(store.messages.value[0]).toContain("training step \u201c11\u201d (now \u201c10\u201d)");
    expect(store.messages.value[0]).toContain("node \u201cnobody\u201d (now \u201cx\u201d)");
    store.dismiss(store.messages.value[0]!);
    expect(store.messages.value).toEqual([]);
  });

  it("says no more about a link than about the next one, or about what has come to be shown", async () => {
    await opened({ step: 11 });
    expect(store.messages.value).toHaveLength(1);
    await opened({ step: 20 });
    expect(store.messages.value).toEqual([]);
    await opened({ node: "nobody" });
    await opened({ node: "nobody else" });
    expect(store.messages.value).toEqual([expect.stringContaining("nobody else")]);
    await opened({ aggregation: "has_no_batch_dimension" });
    expect(store.messages.value).toHaveLength(1);
    store.change("recording", "gradients");
    await settled();
    store.change("node", "w");
    await settled();
    expect(store.messages.value).toEqual([]);
    store.tell("Something else.");
    await opened({ step: 10 });
    expect(store.messages.value).toEqual(["Something else."]);
  });

  it("goes to the nearest step of a type, stays when the step is of it, and comes back to the step that was chosen", async () => {
    await opened();
    store.change("step", 30);
    await settled();
    store.change("stepType", "test");
    await settled();
    expect(store.selection.value.step).toBe(20);
    store.change("stepType", "any_value");
    await settled();
    expect(store.selection.value.step).toBe(20);
    store.change("stepType", "train");
    await settled();
    expect(store.selection.value.step).toBe(30);
  });

  it("shows forward on a step without gradients, and gradients again afterwards", async () => {
    await opened({ recording: "gradients", step: 20, node: "w" });
    store.change("step", 30);
    await settled();
    expect(store.selection.value).toMatchObject({ recording: "forward", node: "w" });
    expect(store.chosen.value?.recording).toBe("gradients");
    store.change("step", 20);
    await settled();
    expect(store.selection.value).toMatchObject({ recording: "gradients", node: "w" });
  });

  it("takes a second change before the first has been loaded", async () => {
    store.open({ selection: {} });
    store.change("step", 20);
    store.change("node", "w");
    await settled();
    expect(store.selection.value).toMatchObject({ step: 20, node: "w", aggregation: "has_no_batch_dimension" });
  });

  it("says what is missing, and goes on when it is there again", async () => {
    const layouts = store.bundle.index.layouts.chunk[0]!;
    missing.add(layouts);
    await opened();
    expect(store.pending.value?.error?.message).toBe("gone");
    missing.clear();
    store.retry();
    await settled();
    expect(store.pending.value).toBeNull();
    expect(store.selection.value.node).toBe("x");
  });

  it("offers what can be reached by changing one selector", async () => {
    await opened();
    const { open, selection } = store.shown.value!;
    const label = (value: string) => value;
    expect(recordingOptions(open!.offers, selection).map(({ value, disabled }) => [value, disabled])).toEqual([
      ["forward", false],
      ["gradients", false],
    ]);
    expect(aggregationOptions(open!.offers, selection, label).map(({ value }) => value)).toEqual([
      "batch_mean",
      "batch_abs_max",
      "batch_std",
      "sample_0",
      "sample_1",
    ]);
    expect(roleOptions(open!.offers, selection).map(({ value }) => value)).toEqual(["x"]);
    expect(stepTypeOptions(store.bundle, open!.trial).map(({ value }) => value)).toEqual(["any_value", "test", "train"]);
    store.selectNode("h*old");
    const old = store.shown.value!.selection;
    expect(old.role).toBe("h__from_iteration_0");
    expect(recordingOptions(open!.offers, old).map(({ value, disabled }) => [value, disabled])).toEqual([
      ["forward", false],
      ["gradients", true],
    ]);
    expect(aggregationOptions(open!.offers, old, label).map(({ value }) => value)).toEqual(["batch_mean", "batch_abs_max", "batch_std"]);
  });
});

describe("triggered steps", () => {
  beforeEach(() => {
    const [first, second] = [step(12, "train"), step(40, "train")];
    openBundle([
      step(10, "train"),
      { ...first, triggered: "x is NaN" },
      step(20, "test"),
      step(30, "train"),
      { ...second, triggered: "an outlier" },
    ]);
  });

  it("are among any steps and by themselves, but among those of no type, and nothing counts them with others", async () => {
    await opened();
    const trial = store.trial.value!;
    expect(stepTypeOptions(store.bundle, trial).map(({ value }) => value)).toEqual(["any_value", "test", "train", "__triggered"]);
    const numbers = (type: string) => stepsOfType(store.bundle, trial, type).map((k) => trial.steps.step[k]);
    expect([numbers("any_value"), numbers("train"), numbers("__triggered")]).toEqual([
      [10, 12, 20, 30, 40],
      [10, 30],
      [12, 40],
    ]);
    const counted = (type: string) => countedSteps(store.bundle, trial, type).map((k) => trial.steps.step[k]);
    expect([counted("any_value"), counted("train"), counted("__triggered")]).toEqual([
      [10, 20, 30],
      [10, 30],
      [12, 40],
    ]);
  });

  it("are reached by their own entry, and left for the step chosen before", async () => {
    await opened({ step: 30 });
    store.change("stepType", "__triggered");
    await settled();
    expect(store.selection.value).toMatchObject({ stepType: "__triggered", step: 40 });
    store.change("stepType", "train");
    await settled();
    expect(store.selection.value).toMatchObject({ stepType: "train", step: 30 });
  });

  it("are opened by a link, whether or not it says that they are triggered", async () => {
    await opened({ step: 12, stepType: "__triggered" });
    expect(store.selection.value.step).toBe(12);
    await opened({ step: 40 });
    expect(store.selection.value).toMatchObject({ stepType: "any_value", step: 40 });
    expect(store.messages.value).toEqual([]);
    await opened({ step: 12, stepType: "train" });
    expect(store.selection.value).toMatchObject({ stepType: "train", step: 10 });
    expect(store.messages.value[0]).toContain("training step");
  });

  it("are shown where there is nothing else", async () => {
    openBundle([{ ...step(7, "train"), triggered: "inf" }]);
    await opened();
    expect(store.selection.value).toMatchObject({ stepType: "any_value", step: 7 });
    expect(countedSteps(store.bundle, store.trial.value!, "any_value")).toEqual([0]);
    expect(store.messages.value).toEqual([]);
  });

  it("are not what a page opens with where there are others", async () => {
    openBundle([{ ...step(7, "train"), triggered: "inf" }, step(10, "train")]);
    await opened();
    expect(store.selection.value).toMatchObject({ stepType: "any_value", step: 10 });
  });
});

describe("a link without a tab", () => {
  it("keeps the tab, but leads from the overview, which shows no step, to the tensors", () => {
    store.tab.value = "network";
    store.open({ selection: { step: 20 } });
    expect(store.tab.value).toBe("network");
    store.open({ tab: "overview", selection: {} });
    expect(store.tab.value).toBe("overview");
    store.open({ selection: { step: 20 } });
    expect(store.tab.value).toBe("tensors");
  });
});

describe("ranks", () => {
  const trials: FixtureTrial[] = [
    { name: "wide", rank: null, steps: [0, 1, 2] },
    { name: "wide", rank: 0, steps: [0, 1, 2] },
    { name: "wide", rank: 3, steps: [0, 2] },
    { name: "alone", rank: 0, steps: [0, 1] },
  ];
  beforeEach(() => openBundle([step(10, "train"), step(20, "test"), step(30, "train")], trials));

  it("of a trial are offered after what they are together", async () => {
    await opened();
    expect(trialOptions(store.bundle).map(({ value }) => value)).toEqual(["wide", "alone"]);
    expect(rankOptions(store.bundle, "wide")).toEqual([
      { value: "all", label: "All ranks together" },
      { value: "0", label: "rank 0" },
      { value: "3", label: "rank 3" },
    ]);
    expect(rankOptions(store.bundle, "alone")).toEqual([{ value: "", label: "rank 0" }]);
    expect(store.selection.value).toMatchObject({ trial: "wide", rank: "all" });
  });

  it("are not offered where no trial has several", () => {
    openBundle([step(10, "train")]);
    expect(rankOptions(store.bundle, "trial")).toEqual([]);
  });

  it("change and keep the rest, and what a rank lacks comes back", async () => {
    const view = {
      trial: "wide",
      rank: "0",
      recording: "gradients",
      stepType: "test",
      step: 20,
      iteration: 0,
      node: "x",
      role: "x",
      aggregation: "sample_1",
    };
    await opened(view);
    expect(store.selection.value).toEqual(view);
    store.change("rank", "all");
    await settled();
    expect(store.selection.value).toEqual({ ...view, rank: "all" });
    store.change("rank", "3");
    await settled();
    expect(store.selection.value).toEqual({ ...view, rank: "3", stepType: "any_value", step: 10 });
    store.change("rank", "0");
    await settled();
    expect(store.selection.value).toEqual(view);
  });

  it("are remembered while a trial without them is shown", async () => {
    await opened({ trial: "wide", rank: "3" });
    store.change("trial", "alone");
    await settled();
    expect(store.selection.value).toMatchObject({ trial: "alone", rank: "" });
    store.change("step", 20);
    await settled();
    store.change("trial", "wide");
    await settled();
    expect(store.selection.value).toMatchObject({ trial: "wide", rank: "3" });
  });

  it("that a link names and that do not exist are reported", async () => {
    await opened({ trial: "wide", rank: "7" });
    expect(store.selection.value.rank).toBe("all");
    expect(store.messages.value[0]).toContain("rank \u201c7\u201d (now \u201call\u201d)");
    await opened({ trial: "alone", rank: "1" });
    expect(store.messages.value[0]).toContain("rank \u201c1\u201d (now the only one)");
  });
});
