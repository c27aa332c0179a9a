import { describe, expect, it } from "vitest";
import { robustRange, smoothed } from "../../../src/kits/charts/robust_range";
import { notesOf } from "../../../src/kits/charts/small_chart";

/** 1, 2, ..., 100. */
const HUNDRED = Array.from({ length: 100 }, (_, k) => k + 1);

describe("the range of a small chart", () => {
  it("holds all values where none is far from the others, with a margin of a twentieth", () => {
    expect(robustRange([[0, 4], [10]])).toEqual({ low: -0.5, high: 10.5, below: 0, above: 0 });
    // A loss that begins high is no outlier.
    expect(robustRange([[10, 6, 4, 3, 2, 1]])).toMatchObject({ above: 0, below: 0 });
  });

  it("is not stretched by outliers, and counts them", () => {
    // Without them, the range is from 1 to 100.
    const range = robustRange([HUNDRED, [1e9], [-1e9]])!;
    expect(range.low).toBeCloseTo(1 - 0.05 * 99);
    expect(range.high).toBeCloseTo(100 + 0.05 * 99);
    expect([range.below, range.above]).toEqual([1, 1]);
  });

  it("takes as outliers what is further from the core than twice its width", () => {
    // The core of the 101 values is without the lowest and the highest: 2 to 100.
    expect(robustRange([HUNDRED, [296]])).toMatchObject({ above: 0 });
    expect(robustRange([HUNDRED, [297]])).toMatchObject({ above: 1 });
  });

  it("shows a spike of what is equal otherwise", () => {
    const range = robustRange([[...Array.from({ length: 100 }, () => 0), 1]])!;
    expect(range).toMatchObject({ above: 0, high: 1.05 });
  });

  it("has room around a single value, and is of finite values only", () => {
    expect(robustRange([[2, NaN, Infinity]])).toEqual({ low: 1.9, high: 2.1, below: 0, above: 0 });
    expect(robustRange([[0]])).toEqual({ low: -0.05, high: 0.05, below: 0, above: 0 });
    expect(robustRange([[NaN, -Infinity], []])).toBeNull();
    expect(robustRange([[0, 1, 1.7e308, -1.7e308]])).toEqual({ low: -0.05, high: 1.05, below: 1, above: 1 });
  });
});

describe("a smoothed line", () => {
  it("has the means of the parts of the time", () => {
    // From 0 to 8 in two parts: 0, 1 and 2 are before 4; 4 and 8 are not.
    expect(smoothed([0, 1, 2, 4, 8], [3, 6, 9, 10, 20], 2)).toEqual({ t: [1, 6], v: [6, 15] });
  });

  it("is interrupted where no value is finite, and leaves others out of its means", () => {
    const { v } = smoothed([0, 1, 2, 4, 8], [3, NaN, 9, NaN, Infinity], 2);
    expect(v).toEqual([6, NaN]);
  });

  it("takes points of one time", () => {
    expect(smoothed([5, 5], [1, 3], 10)).toEqual({ t: [5], v: [2] });
  });
});

it("says what a chart does not show as it is", () => {
  const line = (v: number[]) => ({ t: v.map((_, k) => k), v, color: 0, dash: [] });
  const notes = (v: number[]): string[] => notesOf([line(v)], robustRange([v]));
  expect(notes([1, 2, 3])).toEqual([]);
  expect(notes([...HUNDRED, 1e9])).toEqual(["1 point outside this range, at the triangles.", "Smoothed."]);
  expect(notes([1, NaN, Infinity])).toEqual(["2 values are NaN or infinite, at the crosses."]);
  expect(notes([NaN])).toEqual(["No finite value."]);
});
