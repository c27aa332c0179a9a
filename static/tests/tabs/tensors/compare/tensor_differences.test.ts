import { expect, it, vi } from "vitest";
import { type OpenStep, openStep } from "../../../../src/state/selection/open_step";
import {
  byRelativeDifference,
  chunksOf,
  type DifferingTensor,
  findDiffering,
  match,
} from "../../../../src/tabs/tensors/compare/tensor_differences";
import { atOnce } from "../../../../src/ui/scheduling/time_slices";
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
  const compared = async (a: OpenStep, b: OpenStep, tolerance = 0, statistic: string | null = null) => {
    const matched = match(a, b, "forward", "forward");
    const findings = () => atOnce(findDiffering(matched, a, b, { statistic, aggregation: 0, tolerance }));
    expect(findings()).toBeNull();
    store.bundle.chunks.request(chunksOf(matched, a, b, 0));
    await vi.waitUntil(() => findings() !== null);
    return findings()!;
  };
  return { at, compared };
}

it("finds the tensors that differ, and the statistic that shows it", async () => {
  const { at, compared } = await stepsOf();
  expect(await compared(await at(0), await at(2))).toEqual({
    compared: 3,
    differing: [{ iteration: -1, node: "w", role: "w", item: "mean", a: 1, b: 1.25 }],
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

it("compares one statistic if it is asked for", async () => {
  const differing = async (statistic: string) => {
    const { at, compared } = await stepsOf();
    return (await compared(await at(0), await at(2), 0, statistic)).differing.map(({ item, a, b }) => [item, a, b]);
  };
  expect(await differing("abs_mean")).toEqual([["abs_mean", 2, 2.25]]);
  expect(await differing("std")).toEqual([]);
});

it("orders them by how much they differ in relation to what they are, those that are not finite first", () => {
  const of = (node: string, a: number, b: number): DifferingTensor => ({ iteration: 0, node, role: node, item: "mean", a, b });
  const all = [of("small", 1000, 1001), of("nan", 1, NaN), of("sign", -1, 1), of("half", 1, 2)];
  expect(byRelativeDifference(all).map(({ node }) => node)).toEqual(["nan", "sign", "half", "small"]);
});
