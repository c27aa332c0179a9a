import { expect, it, vi } from "vitest";
import { type OpenStep, openStep } from "../../../../src/state/selection/open_step";
import { chunksOf, findDiffering, match } from "../../../../src/tabs/tensors/compare/tensor_differences";
import { buildBundle, ownStep } from "../../../support/bundle_fixture";
import { describedStep } from "../../../support/described_step";
import { dataOfBundle, shownBy, storeOf } from "../../../support/open_store";

/** Two equal steps, one whose w has another mean, and one with another tensor, x, alone. */
async function stepsOf() {
  const store = storeOf(dataOfBundle(buildBundle([describedStep(0), describedStep(1), describedStep(2, 1.25), ownStep(3)])));
  await shownBy(store);
  const trial = store.trial.value!;
  const at = async (step: number): Promise<OpenStep> => {
    await vi.waitUntil(() => openStep(store.bundle, trial, step).state === "ready");
    const opened = openStep(store.bundle, trial, step);
    return opened.state === "ready" ? opened.value : Promise.reject(new Error(opened.state));
  };
  const compared = async (a: OpenStep, b: OpenStep, tolerance = 0, recording = "forward") => {
    const matched = match(a, b, "forward", recording);
    expect(findDiffering(matched, a, b, tolerance)).toBeUndefined();
    store.bundle.chunks.request(chunksOf(matched, a, b));
    await vi.waitUntil(() => findDiffering(matched, a, b, tolerance) !== undefined);
    return findDiffering(matched, a, b, tolerance)!;
  };
  return { at, compared };
}

it("finds the tensors that differ, and the statistic that shows it", async () => {
  const { at, compared } = await stepsOf();
  expect(await compared(await at(0), await at(2))).toEqual({
    compared: 3,
    differing: [{ iteration: 0, node: "w", role: "w", item: "mean", a: 1, b: 1.25 }],
  });
});

it("finds none in equal steps, nor where the difference is tolerated", async () => {
  const { at, compared } = await stepsOf();
  expect(await compared(await at(0), await at(1))).toEqual({ compared: 3, differing: [] });
  const other = await stepsOf();
  expect((await other.compared(await other.at(0), await other.at(2), 0.2)).differing).toEqual([]);
});

it("compares recordings of different types, and counts what only one of them has", async () => {
  const { at } = await stepsOf();
  const [step, other] = [await at(0), await at(3)];
  const counts = ({ pairs, onlyInA, onlyInB }: ReturnType<typeof match>) => [pairs.map(({ name }) => name), onlyInA, onlyInB];
  expect(counts(match(step, step, "forward", "gradients"))).toEqual([["h", "w"], 1, 0]);
  expect(counts(match(step, other, "forward", "forward"))).toEqual([[], 3, 1]);
  expect(counts(match(step, step, "forward", "nothing"))).toEqual([[], 3, 0]);
});
