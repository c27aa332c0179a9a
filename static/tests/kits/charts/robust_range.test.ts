import { describe, expect, it } from "vitest";
import { extentsOfParts, robustRange, smoothed, smoothedHonestly } from "../../../src/kits/charts/robust_range";
import { notesOf, smoothedText } from "../../../src/kits/charts/small_chart";

/** 1, 2, ..., 100. */
const HUNDRED = Array.from({ length: 100 }, (_, k) => k + 1);

describe("the range of a small chart", () => {
  it("holds all values where none is far from the others", () => {
    expect(robustRange([[0, 4], [10]])).toEqual({ low: 0, high: 10, below: 0, above: 0 });
    // The beginning of a short curve is no outlier.
    expect(robustRange([[40, 3, 2, 1]])).toMatchObject({ high: 40, above: 0 });
  });

  it("is not stretched by outliers, and counts them", () => {
    expect(robustRange([HUNDRED, [1e9], [-1e9]])).toEqual({ low: 1, high: 100, below: 1, above: 1 });
  });

  it("takes as outliers what is further from the core than four times its width", () => {
    // The core of the 101 values is without the lowest and the highest: 2 to 100.
    expect(robustRange([HUNDRED, [492]])).toMatchObject({ above: 0 });
    expect(robustRange([HUNDRED, [493]])).toMatchObject({ above: 1 });
  });

  it("shows a spike of what is equal otherwise", () => {
    expect(robustRange([[...Array.from({ length: 100 }, () => 0), 1]])).toEqual({ low: 0, high: 1, below: 0, above: 0 });
  });

  it("is found among a million values too, of which only some are sorted", () => {
    const many = Float64Array.from({ length: 1_000_000 }, (_, k) => k % 100);
    many[777_777] = 1e9;
    many[5] = -1e9;
    expect(robustRange([many])).toEqual({ low: 0, high: 99, below: 1, above: 1 });
  });

  it("is not stretched by a trial that diverged, whose values are counted", () => {
    const diverged = Array.from({ length: 20 }, (_, k) => 10 ** k);
    // 1e0 to 1e3 lie within four times the width of the core, which is 98.
    expect(robustRange([HUNDRED, HUNDRED, diverged])).toEqual({ low: 1, high: 100, below: 0, above: 17 });
    expect(robustRange([HUNDRED, diverged])).toMatchObject({ high: 100, above: 17 });
    expect(robustRange([[3, 2, 1], diverged])).toMatchObject({ high: 10, above: 18 });
    // Logarithms show both.
    expect(robustRange([HUNDRED, diverged], true)).toMatchObject({ high: 1e19, above: 0 });
    // Without another line, only its last value is far from the others.
    expect(robustRange([diverged])).toMatchObject({ high: 1e18, above: 1 });
  });

  it("keeps lines of different sizes", () => {
    expect(robustRange([HUNDRED.map((value) => value / 1000), HUNDRED])).toMatchObject({ high: 100, above: 0 });
  });

  it("is of finite values only", () => {
    expect(robustRange([[2, NaN, Infinity]])).toEqual({ low: 2, high: 2, below: 0, above: 0 });
    expect(robustRange([[NaN, -Infinity], []])).toBeNull();
    expect(robustRange([[0, 1, 1.7e308, -1.7e308]])).toEqual({ low: 0, high: 1, below: 0, above: 0 });
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

  it("stays constant where all values are equal", () => {
    const t = Array.from({ length: 1000 }, (_, k) => k);
    const { v } = smoothed(
      t,
      t.map(() => 0.01),
      7,
    );
    expect(new Set(v)).toEqual(new Set([0.01]));
  });

  it("takes points of one time", () => {
    expect(smoothed([5, 5], [1, 3], 10)).toEqual({ t: [5], v: [2] });
  });
});

it("says what a chart does not show as it is", () => {
  const line = (v: number[]) => ({ t: v.map((_, k) => k), v, color: 0, dash: [] });
  const notes = (v: number[]): string[] => notesOf([line(v)], robustRange([v]));
  expect(notes([1, 2, 3])).toEqual([]);
  expect(notes([...HUNDRED, 1e9])).toEqual(["1 point outside this range, at the triangles."]);
  expect(notes([1, NaN, Infinity])).toEqual(["2 values are NaN or infinite, at the crosses."]);
  expect(notes([NaN])).toEqual(["No finite value."]);
});

it("says which lines are smoothed", () => {
  const line = (count: number) => ({ t: Array(count).fill(0), v: Array(count).fill(0), color: 0, dash: [] });
  expect(smoothedText([line(3), line(100)])).toEqual([]);
  expect(smoothedText([line(101)])).toEqual(["The line is smoothed; the band shows the single steps."]);
  expect(smoothedText([line(101), line(101)])).toEqual(["The lines are smoothed; the band shows the single steps."]);
  expect(smoothedText([line(3), line(101)])).toEqual(["Long lines are smoothed; the band shows the single steps."]);
});

it("knows between which values the points of each mean lie", () => {
  // The times 0 to 9 in two parts; what is not finite belongs to none.
  expect(extentsOfParts(range(10), [1, NaN, 2, 3, 6, 10, -4, Infinity, 10, 10], 2)).toEqual([
    { from: 0, to: 4, low: 1, high: 6 },
    { from: 5, to: 9, low: -4, high: 10 },
  ]);
  expect(extentsOfParts([0, 9], [NaN, 2], 2)).toEqual([{ from: 9, to: 9, low: 2, high: 2 }]);
});

describe("a smoothed line that hides nothing", () => {
  it("keeps what is not finite beside the means, in the order of time", () => {
    // 0 to 9 in two parts: the finite values at 0, 2, 3 and 4, and those at 5 to 9.
    const v = [1, NaN, 2, 3, 6, 10, 10, Infinity, 10, 10];
    expect(smoothedHonestly(range(10), v, 2)).toEqual({ t: [1, 2, 7, 7], v: [NaN, 3, 10, Infinity] });
  });
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, k) => k);
}
