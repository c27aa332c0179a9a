import { describe, expect, it, vi } from "vitest";
import { listedTrials, readTrialValues, sortedTrialValues, type TrialOrder } from "../../../src/state/comparison/trial_values";
import { buildBundle, ownStep } from "../../support/bundle_fixture";
import { describedStep } from "../../support/described_step";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";

/** Trials whose w has the means 3, NaN and 1; one at another step, and one without w. */
async function valuesOf(item: string) {
  const steps = [describedStep(7, 3), describedStep(7, NaN), describedStep(9, 1), { ...ownStep(7), type: "other" }];
  const trials = ["three", "nan", "one", "without"].map((name, k) => ({ name, rank: 0, steps: [k] }));
  const store = storeOf(dataOfBundle(buildBundle(steps, trials)));
  const { selection } = await shownBy(store, { trial: "three", node: "w", role: "w" });
  const wanted = { selection, name: "w", iteration: -1, item };
  const read = () => readTrialValues(store.bundle, listedTrials(store.bundle, selection.rank), wanted);
  await vi.waitUntil(() => {
    const { values, missing } = read();
    store.bundle.chunks.request(missing);
    return values.every(({ value }) => value !== undefined);
  });
  return read().values;
}

describe("a tensor in all trials", () => {
  it("has the statistic at the same step of each, or at the nearest one", async () => {
    const shown = (await valuesOf("mean")).map(({ trial, step, value }) => [trial.name, step, value]);
    expect(shown).toEqual([
      ["three", 7, 3],
      ["nan", 7, NaN],
      ["one", 9, 1],
      ["without", 7, null],
    ]);
    expect((await valuesOf("svd")).map(({ value }) => value)).toEqual([null, null, null, null]);
  });

  it("is sorted by each column, what has no number last", async () => {
    const values = await valuesOf("mean");
    const names = (order: TrialOrder, isDescending: boolean) =>
      sortedTrialValues(values, order, isDescending).map(({ trial }) => trial.name);
    expect(names("value", false)).toEqual(["one", "three", "nan", "without"]);
    expect(names("value", true)).toEqual(["three", "one", "nan", "without"]);
    expect(names("step", true)).toEqual(["one", "three", "nan", "without"]);
    expect(names("trial", true)).toEqual(["without", "one", "nan", "three"]);
  });

  it("is listed once for all ranks of a trial, with the rank that is shown if there is one", () => {
    const steps = [describedStep(0), describedStep(1), describedStep(2)];
    const trials = [
      { name: "a", rank: 0, steps: [0] },
      { name: "a", rank: 1, steps: [1] },
      { name: "b", rank: 0, steps: [2] },
    ];
    const { bundle } = storeOf(dataOfBundle(buildBundle(steps, trials)));
    expect(listedTrials(bundle, "1").map(({ name, rank }) => [name, rank])).toEqual([
      ["a", 1],
      ["b", 0],
    ]);
  });
});
