import { describe, expect, it } from "vitest";
import { histogramOf, placeAmong } from "../../../../src/tabs/tensors/histogram/bins";
import { atOnce } from "../../../../src/ui/scheduling/time_slices";

const count = (values: number[], low: number, high: number, logarithmic = false, dtype = "F32") =>
  atOnce(histogramOf(values, [[0, values.length]], { low, high }, logarithmic, dtype));

describe("a histogram", () => {
  it("has bins of equal width, the last with its upper edge", () => {
    const { edges, counts } = count([0, 0.9, 1, 7.5, 8, NaN, Infinity, -Infinity], 0, 8);
    expect([...edges]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect([...counts]).toEqual([2, 1, 0, 0, 0, 0, 0, 2]);
  });

  it("has a bin for every whole number where there are few", () => {
    const { edges, counts, whole } = count([-1, 2, 2, 0], -1, 2, false, "I64");
    expect([whole, [...counts], [...edges].slice(0, 4)]).toEqual([true, [1, 1, 0, 2], [-1, 0, 1, 2]]);
    expect(count([0, 1000], 0, 1000, false, "I64").whole).toBe(false);
  });

  it("tells small magnitudes apart on a symmetric logarithm", () => {
    const values = [-100, -1, 1, 100];
    const straight = count(values, -100, 100);
    const logarithmic = count(values, -100, 100, true);
    expect(Math.max(...straight.counts)).toBe(1);
    const binsOf = (counts: Float64Array) => [...counts].flatMap((n, bin) => (n > 0 ? [bin] : []));
    expect(binsOf(straight.counts)).toEqual([0, 3, 4, 7]);
    expect(binsOf(logarithmic.counts)).toEqual([0, 2, 5, 7]);
    expect(logarithmic.edges[0]).toBeCloseTo(-100);
    expect(logarithmic.edges[4]).toBeCloseTo(0);
  });

  it("of one value is not of no width", () => {
    for (const logarithmic of [false, true]) {
      const { edges, counts } = count([2, 2, 2], 2, 2, logarithmic);
      expect(counts.reduce((sum, n) => sum + n)).toBe(3);
      expect(edges.at(-1)).toBeGreaterThan(edges[0]!);
    }
    expect(count([0], 0, 0, true).counts.reduce((sum, n) => sum + n)).toBe(1);
  });

  it("knows where a value lies", () => {
    const edges = Float64Array.of(0, 1, 10);
    expect([-5, 0, 0.5, 1, 5.5, 10, 99].map((value) => placeAmong(edges, value))).toEqual([0, 0, 0.25, 0.5, 0.75, 1, 1]);
  });
});
