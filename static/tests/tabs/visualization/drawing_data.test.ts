import { beforeEach, describe, expect, it } from "vitest";
import { describe as describeError } from "../../../src/frame/drawing";
import type { Store } from "../../../src/state/store";
import { dataOf, selectionOf, type VisualizationData } from "../../../src/tabs/visualization/drawing_data";
import { buildBundle } from "../../support/bundle_fixture";
import { describedStep } from "../../support/described_step";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";

/** Besides its statistics, the step has the values of v. */
function withValues(step: number) {
  const described = describedStep(step);
  const statistics = described.arrays[2]!;
  return {
    ...described,
    tensors: [...described.tensors, { name: "v", iteration: 0, type: "input", kind: "neuron", shape: [2], batch_dimension: null }],
    groups: [...described.groups, { name: "extra", tensors: [3] }],
    arrays: [
      { ...described.arrays[0]!, values: [...described.arrays[0]!.values, 0, 0, 0, 0, 0] },
      { ...described.arrays[1]!, values: [...described.arrays[1]!.values, 1.5, -2] },
      { ...statistics, values: [...statistics.values, -0.25, 1.75, 2.5, 2] },
      { name: "values.F32", dtype: "F32" as const, values: [1.5, -2] },
    ],
  };
}

let store: Store;
let data: VisualizationData;

beforeEach(async () => {
  store = storeOf(dataOfBundle(buildBundle([withValues(0), withValues(5)])));
  const shown = await shownBy(store, { node: "h", step: 5 });
  data = dataOf(store, shown, shown.open!);
});

describe("what a drawing is given", () => {
  it("is the selection, and what the step holds", () => {
    expect(selectionOf(store, store.shown.value!)).toMatchObject({
      trial: "trial",
      step: 5,
      node: "h",
      tensor: "h",
      aggregation: "batch_mean",
    });
    expect(data.steps()).toEqual([
      { step: 0, type: "train", batchSize: 4 },
      { step: 5, type: "train", batchSize: 4 },
    ]);
    expect(data.iterations()).toBe(1);
    expect(data.tensors().map(({ name, iteration, type }) => [name, iteration, type])).toEqual([
      ["h", 0, "calculated"],
      ["w", -1, "parameter"],
      ["loss", 0, "loss"],
      ["v", 0, "input"],
    ]);
    expect(data.tensors()[0]).toEqual({
      name: "h",
      iteration: 0,
      node: "h",
      role: "h",
      type: "calculated",
      shape: [4, 3],
      batchDimension: 0,
      dtype: "F32",
    });
  });

  it("are statistics as they are selected, or as it asks for them", async () => {
    expect(await data.statistics("h")).toEqual({ mean: -1, abs_mean: 1, std: 3, abs_max: 5 });
    expect(await data.statistics("h", { aggregation: "sample_0", recording: "gradients" })).toEqual({
      mean: 7,
      abs_mean: 8,
      std: 9,
      abs_max: 10,
    });
    // A parameter belongs to no iteration, and has one aggregation only.
    expect(await data.statistics("w", { iteration: 0, aggregation: "sample_0" })).toEqual({ mean: 1, abs_mean: 2, std: 3, abs_max: 4 });
  });

  it("are values, and none where only statistics were recorded", async () => {
    expect([...(await data.values("v", { recording: "extra" }))]).toEqual([1.5, -2]);
    expect([...(await data.values("h"))]).toEqual([]);
    expect(await data.curves()).toEqual([]);
  });

  it("is an error that says what there is where it asks for what is not there", async () => {
    await expect(data.statistics("nobody")).rejects.toThrow(
      "Step 5 has no tensor \u201cnobody\u201d in iteration 0 of \u201cforward\u201d. It has: h, w, loss, v.",
    );
    await expect(data.values("h", { iteration: 3 })).rejects.toThrow("has no tensor \u201ch\u201d in iteration 3");
    await expect(data.statistics("h", { aggregation: "sample_9" })).rejects.toThrow(
      "\u201ch\u201d has no \u201csample_9\u201d. It has: batch_mean, batch_abs_max, batch_std, sample_0.",
    );
  });
});

it("is rejected where its numbers cannot be read", async () => {
  const opened = dataOfBundle(buildBundle([withValues(0)]));
  const broken = new Set<number>();
  const other = storeOf({ ...opened, read: (id) => (broken.has(id) ? Promise.reject(new Error("gone")) : opened.read(id)) });
  const shown = await shownBy(other);
  shown.open!.content.numbers.overviewChunks(other.record.value!, 0).forEach((id) => broken.add(id));
  await expect(dataOf(other, shown, shown.open!).statistics("h")).rejects.toThrow("gone");
});

it("describes what a script throws with its stack, or in full where that does not name it", () => {
  const error = new TypeError("no such column");
  error.stack = "TypeError: no such column\n  at draw";
  expect(describeError(error)).toBe("TypeError: no such column\n  at draw");
  error.stack = "draw@page:3";
  expect(describeError(error)).toBe("TypeError: no such column\ndraw@page:3");
  expect([describeError("text"), describeError(undefined)]).toEqual(["text", "undefined"]);
});
