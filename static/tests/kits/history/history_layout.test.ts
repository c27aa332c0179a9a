import { describe, expect, it } from "vitest";
import type { StepHistogram } from "../../../src/data/records/histograms";
import { type Column, pixelOf, quantileLines, STRIP, spansOf, strips } from "../../../src/kits/history/history_layout";
import { paint } from "../../../src/kits/history/paint_history";

/** A step with a bin for 1 to 1.25 and one for 1.25 to 1.5, in two rows above that of zeros. */
function column(step: number, median: number, changed: Partial<StepHistogram> = {}): Column {
  const quantiles = Float64Array.of(0, median, 0, median, 0, median, 0);
  return { step, place: step, histogram: { quantiles, nan: 0, positiveInfinities: 0, negativeInfinities: 0, ...changed } as StepHistogram };
}

// The bins 509, 510 and 511: 1 to 1.25, to 1.5 and to 1.75.
const ROWS = { innermost: 509, highest: 4, lowest: 2, count: 3 };
const picture = (...columns: Column[]) => ({ columns, rows: ROWS, low: 0, high: 10, width: 100, height: 30 });

const COLORS = { ramp: new Uint32Array(256), axis: 7, extreme: 8, special: 9, line: "#000000" };
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => from + k);

describe("places in a picture of histograms", () => {
  it("are spread over its width, and in the middle where there is one only", () => {
    expect([0, 5, 10].map((place) => pixelOf(place, { low: 0, high: 10, width: 100 }))).toEqual([0, 50, 100]);
    expect(pixelOf(7, { low: 7, high: 7, width: 100 })).toBe(50);
  });

  it("of columns are as wide as the median distance, meet half way at most, and are never empty", () => {
    // 20, 30 and 50 pixels lie between the steps: a column is 30 wide, but for the two that are closer than that.
    expect(spansOf([{ place: 0 }, { place: 2 }, { place: 5 }, { place: 10 }], picture())).toEqual([
      { start: 0, end: 10 },
      { start: 10, end: 35 },
      { start: 35, end: 65 },
      { start: 85, end: 100 },
    ]);
    const crowded = spansOf(
      Array.from({ length: 1000 }, (_, k) => ({ place: k / 100 })),
      picture(),
    );
    expect(crowded.every(({ start, end }) => end > start && end <= 100)).toBe(true);
  });

  it("leave strips for what is not finite, where there is some", () => {
    const some = { positiveInfinities: 1, negativeInfinities: 2, nan: 3 };
    expect(strips([column(0, 1)], 30)).toEqual({ positive: null, top: 0, bottom: 30, negative: null, nan: null });
    expect(strips([column(0, 1), column(1, 1, some)], 30)).toEqual({
      positive: 0,
      top: STRIP,
      bottom: 30 - 2 * STRIP,
      negative: 30 - 2 * STRIP,
      nan: 30 - STRIP,
    });
  });
});

describe("what was not recorded", () => {
  it("is hatched, and nothing else is", () => {
    const data = new Uint32Array(100 * 12);
    const special = { nan: 0, allZeros: 0, zeros: 0, lookedAt: 1, smallest: NaN, largest: NaN, negative: [], positive: [] };
    const columns = [0, 1, 2, 8].map((step) => column(step, NaN, special as unknown as Partial<StepHistogram>));
    paint({ width: 100, height: 12, data }, { ...picture(...columns), height: 12 }, COLORS, 1);
    // The columns reach to 5, 15, 25, and from 75 to 85.
    const marked = [...new Set([...data.keys()].filter((place) => data[place] === COLORS.axis).map((place) => place % 100))];
    expect(marked.sort((a, b) => a - b)).toEqual([...range(25, 75), ...range(85, 100)]);
    // Each row of a gap has a pixel in six.
    expect(data.subarray(0, 100).filter((pixel) => pixel !== 0).length).toBe(10);
  });
});

describe("the lines of quantiles", () => {
  const median = (...columns: Column[]) => quantileLines(picture(...columns)).at(-1)!;

  it("go through the middles of the columns, at the rows of their values", () => {
    // Rows are 10 pixels high, the largest values above: 1.75 is at the top, and 1.125 half a row from the bottom.
    const { thickness, pieces } = median(column(4, 1.75), column(6, 1.125));
    expect(thickness).toBe(1.6);
    expect(pieces).toEqual([
      [
        [40, 0],
        [60, 25],
      ],
    ]);
  });

  it("do not cross what was not recorded", () => {
    // Columns of 10 pixels: the first three touch, the last stands alone.
    expect(median(column(1, 1.75), column(2, 1.75), column(3, 1.75), column(8, 1.125)).pieces).toEqual([
      [
        [10, 0],
        [20, 0],
        [30, 0],
      ],
      [
        [75, 25],
        [85, 25],
      ],
    ]);
  });

  it("are broken where a step has none", () => {
    expect(median(column(2, 1), column(4, 1), column(6, NaN), column(8, 1), column(10, 1)).pieces.map((piece) => piece.length)).toEqual([
      2, 2,
    ]);
  });

  it("are as wide as the column of a single step", () => {
    expect(median(column(5, 1.75)).pieces).toEqual([
      [
        [26, 0],
        [74, 0],
      ],
    ]);
  });

  it("stand for the median, and for where 90 % of the values are", () => {
    const quantiles = Float64Array.of(NaN, 1, NaN, 1.25, NaN, 1.75, NaN);
    const lines = quantileLines(picture(column(5, 0, { quantiles })));
    expect(lines.map(({ pieces }) => pieces[0]![0]![1])).toEqual([30, 0, 20]);
  });
});
