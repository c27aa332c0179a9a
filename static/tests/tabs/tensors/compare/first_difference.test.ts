import { expect, it } from "vitest";
import type { Numbers } from "../../../../src/data/arrays/lanes";
import { firstDifference, type PairedCurve } from "../../../../src/tabs/tensors/compare/first_difference";
import type { Pair } from "../../../../src/tabs/tensors/compare/tensor_differences";
import { atOnce } from "../../../../src/ui/scheduling/time_slices";

function curve(name: string, a: Record<number, number>, b: Record<number, number>): PairedCurve {
  const side = (values: Record<number, number>) => ({
    steps: Object.keys(values).map(Number),
    numbers: { length: Object.keys(values).length, at: (k: number) => Object.values(values)[k] } as Numbers,
  });
  return { pair: { name } as Pair, a: side(a), b: side(b) };
}

function found(curves: PairedCurve[], tolerance = 0): string | null {
  const { first } = atOnce(firstDifference(curves, tolerance));
  return first && `${first.pair.name} at ${first.step}`;
}

it("finds the earliest step, and the first of the tensors that differ there", () => {
  const late = curve("late", { 0: 1, 10: 2, 20: 3 }, { 0: 1, 10: 2, 20: 4 });
  const early = curve("early", { 0: 1, 10: 2, 20: 3 }, { 0: 1, 10: 5, 20: 3 });
  const beside = curve("beside", { 10: NaN }, { 10: 1 });
  expect(found([late, early, beside])).toBe("early at 10");
  expect(found([late])).toBe("late at 20");
});

it("compares only steps that both have, and what counts as a difference", () => {
  expect(found([curve("x", { 0: 1, 5: 2, 20: 3 }, { 0: 1, 7: 9, 20: 3 })])).toBeNull();
  expect(found([curve("x", { 0: NaN, 5: 100 }, { 0: NaN, 5: 101 })], 0.1)).toBeNull();
  expect(found([curve("x", { 3: 1, 5: 100 }, { 1: 0, 5: 101 })])).toBe("x at 5");
  expect(found([])).toBeNull();
});
