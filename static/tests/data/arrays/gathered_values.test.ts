import { describe, expect, it } from "vitest";
import { GatheredValues } from "../../../src/data/arrays/gathered_values";
import { censusOf } from "../../../src/kits/heatmap/value_census";
import { atOnce } from "../../../src/ui/scheduling/time_slices";
import { gathered, numbersIn } from "../../support/values_fixture";

describe("gathered values", () => {
  it("know what is missing, and keep what has come", () => {
    const missing = new Set([1]);
    const values = new GatheredValues(numbersIn("F32", [0, 1, 2, 3, 4, 5, 6, 7], 3, missing), 1, 8);
    expect(values.gather()).toBe(true);
    expect(values.missingChunks).toEqual([1]);
    expect(values.gaps).toEqual([[2, 5]]);
    expect([0, 1, 2, 4, 5, 6].map((k) => values.at(k))).toEqual([1, 2, undefined, undefined, 6, 7]);
    expect(values.gather()).toBe(false);
    missing.clear();
    missing.add(0);
    expect(values.gather()).toBe(true);
    expect(values.complete).toBe(true);
    expect([...values.numbers]).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect([values.at(-1), values.at(7)]).toEqual([undefined, undefined]);
  });

  it.each([
    ["F16", [0x3c00, 0xc000, 0x7c00], [1, -2, Infinity]],
    ["BF16", [0x3f80, 0xc000, 0xff80], [1, -2, -Infinity]],
    ["I32", [2 ** 31 - 1, -5, 0], [2 ** 31 - 1, -5, 0]],
    ["BOOL", [1, 0, 1], [1, 0, 1]],
    ["F64", [0.1, -1e300, 2], [0.1, -1e300, 2]],
  ] as const)("of type %s are numbers to calculate with", (dtype, stored, numbers) => {
    const values = gathered(dtype, stored);
    expect([...values.numbers]).toEqual(numbers);
    expect(numbers.map((_, k) => values.at(k))).toEqual(numbers);
  });

  it("give 64-bit integers exactly", () => {
    const values = gathered("I64", [2n ** 63n - 1n, 7n]);
    expect(values.at(0)).toBe(2n ** 63n - 1n);
    expect(values.at(1)).toBe(7);
  });
});

describe("a census", () => {
  it("counts what is special, and describes the finite rest", () => {
    // The mean of 0, 2, 4 and -2 is 1, and the squares of the differences are 1 + 1 + 9 + 9.
    expect(atOnce(censusOf(gathered("F32", [0, 2, NaN, 4, Infinity, -2, -Infinity, NaN])))).toEqual({
      nan: 2,
      positiveInfinity: 1,
      negativeInfinity: 1,
      zeros: 1,
      finite: 4,
      low: -2,
      high: 4,
      mean: 1,
      std: Math.sqrt(20 / 3),
    });
  });

  it("does not count what is not loaded", () => {
    const values = new GatheredValues(numbersIn("F32", [5, 5, 5, 9, 9, 9], 3, new Set([0])));
    values.gather();
    expect(atOnce(censusOf(values))).toMatchObject({ finite: 3, zeros: 0, low: 9, high: 9, std: 0 });
  });

  it("of nothing finite is all zeros", () => {
    expect(atOnce(censusOf(gathered("F32", [NaN])))).toMatchObject({ nan: 1, finite: 0, low: 0, high: 0, mean: 0, std: 0 });
  });
});
