import { describe, expect, it } from "vitest";
import type { Numbers } from "../../../src/data/arrays/lanes";
import type { Value } from "../../../src/data/arrays/numbers";
import { pinned, pinOf, readPin, withPin, writePin } from "../../../src/state/comparison/pin";
import type { Selection } from "../../../src/state/selection/selection";
import { byDifference, compare, differenceOf, differs } from "../../../src/tabs/tensors/compare/difference";

function numbers(...values: (Value | undefined)[]): Numbers {
  return { length: values.length, at: (k) => values[k], chunks: () => [], dtype: "F64", parts: () => [] };
}

describe("differences", () => {
  it("are exact for integers that are no numbers, and nothing where both are the same", () => {
    expect(differenceOf(9007199254740993n, 9007199254740995n)).toBe(-2);
    expect(differenceOf(NaN, NaN)).toBe(0);
    expect(differenceOf(Infinity, Infinity)).toBe(0);
    expect(differenceOf(-0, 0)).toBe(0);
    expect(differenceOf(1, -2)).toBe(3);
    expect(differenceOf(-Infinity, Infinity)).toBe(-Infinity);
  });

  it("are judged by the larger magnitude", () => {
    expect(differs(100, 101, 0.01)).toBe(false);
    expect(differs(100, 102, 0.01)).toBe(true);
    expect(differs(0, 1e-30, 0.01)).toBe(true);
    expect(differs(NaN, NaN, 0)).toBe(false);
    expect(differs(1, NaN, 1)).toBe(true);
    expect(differs(Infinity, 1, 1)).toBe(true);
  });

  it("are summed up over what both have", () => {
    expect(compare(numbers(1, 2, NaN, 4), numbers(1, 5, NaN, Infinity, 7))).toEqual({
      count: 4,
      equal: 2,
      notFinite: 1,
      largest: 3,
      at: 1,
      mean: 1,
    });
    expect(compare(numbers(), numbers())).toMatchObject({ count: 0, at: -1, mean: NaN });
    expect(compare(numbers(1, undefined), numbers(1, 2))).toBeUndefined();
  });

  it("bring the largest first, and of equal ones the first", () => {
    expect([...byDifference(numbers(0, 0, 0, 0, 5), numbers(1, NaN, -3, 1, 5))!]).toEqual([1, 2, 0, 3, 4]);
    expect(byDifference(numbers(undefined), numbers(1))).toBeUndefined();
  });
});

describe("the second view", () => {
  const selection: Selection = {
    trial: "a & b",
    rank: "0",
    recording: "forward",
    stepType: "any_value",
    step: 5,
    iteration: 2,
    node: "h",
    role: "h",
    aggregation: "sample_1",
  };

  it("stays where it was made, and follows which tensor is selected", () => {
    const pin = pinOf(selection);
    const moved = { ...selection, trial: "c", step: 9, iteration: 3, node: "x", role: "y" };
    expect(withPin(moved, pin)).toEqual({ ...moved, trial: "a & b", step: 5 });
  });

  it("comes back from an address as it was", () => {
    const pin = pinned(pinned(pinOf(selection), "iteration", 2), "trial", undefined);
    expect(pin).toEqual({ rank: "0", recording: "forward", step: 5, aggregation: "sample_1", iteration: 2 });
    expect(readPin(writePin(pin))).toEqual(pin);
    expect(readPin(writePin(pinOf(selection)))).toEqual(pinOf(selection));
    expect(readPin(undefined)).toBeNull();
    expect(readPin("%&step=x&=")).toEqual({});
  });
});
