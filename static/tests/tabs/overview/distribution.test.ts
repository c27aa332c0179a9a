import { expect, it } from "vitest";
import type { StepHistogram } from "../../../src/data/records/histograms";
import { BARS, barsOfHistogram, barsOfValues, sharedAxis } from "../../../src/tabs/overview/findings/distribution";

const HISTOGRAM: StepHistogram = {
  firstNegative: 1,
  negative: Float64Array.of(),
  zeros: 0,
  firstPositive: 1,
  positive: Float64Array.of(),
  lookedAt: 0,
  size: 0,
  nan: 0,
  positiveInfinities: 0,
  negativeInfinities: 0,
  allZeros: 0,
  isAbsent: false,
  quantiles: new Float64Array(7),
  smallest: NaN,
  largest: NaN,
};

const filled = (bars: Float64Array): Record<number, number> =>
  Object.fromEntries([...bars.entries()].filter(([, count]) => count > 0).map(([bar, count]) => [bar, Number(count.toPrecision(6))]));

it("counts finite values in bars of equal width", () => {
  expect(filled(barsOfValues([0, 0.9, 1, 39.5, 40, NaN, Infinity, -Infinity], 0, BARS))).toEqual({ 0: 2, 1: 1, 39: 2 });
  expect(filled(barsOfValues([2, 2, 2], 2, 2))).toEqual({ 20: 3 });
  expect(filled(barsOfValues([NaN], NaN, NaN))).toEqual({});
  // On an axis that is twice as long, for others beside them.
  expect(filled(barsOfValues([0, 0.9, 40], -BARS, BARS))).toEqual({ 20: 2, 39: 1 });
});

it("spreads the bins of a recorded histogram over the bars that they cover", () => {
  // Bins 509 to 513 are those of 1 to 1.25, 1.25 to 1.5, 1.5 to 1.75, 1.75 to 2 and 2 to 2.5. A bar is 0.1 wide.
  const positive = { ...HISTOGRAM, smallest: 0, largest: 4, zeros: 6, firstPositive: 509, positive: Float64Array.of(5, 0, 0, 0, 10) };
  expect(filled(barsOfHistogram(positive, positive.smallest, positive.largest))).toEqual({
    0: 6,
    10: 2,
    11: 2,
    12: 1,
    20: 2,
    21: 2,
    22: 2,
    23: 2,
    24: 2,
  });
  // From -2 on; the bin from -2.5 to -2 has nothing but -2. What is below is cut off there.
  const negative = { ...HISTOGRAM, smallest: -2, largest: 2, firstNegative: 512, negative: Float64Array.of(5, 3) };
  expect(filled(barsOfHistogram(negative, negative.smallest, negative.largest))).toEqual({ 0: 5, 1: 2, 2: 1 });
  expect(filled(barsOfHistogram(negative, -2, 6))).toEqual({ 0: 7, 1: 1 });
  const same = { ...HISTOGRAM, smallest: 1.1, largest: 1.1, firstPositive: 509, positive: Float64Array.of(7) };
  expect(filled(barsOfHistogram(same, same.smallest, same.largest))).toEqual({ 20: 7 });
});

it("shares an axis among two distributions, with zero where that is near", () => {
  expect(sharedAxis({ low: -1, high: 2 }, { low: 0.5, high: 3 })).toEqual({ from: -1, to: 3 });
  expect(sharedAxis({ low: 0.1, high: 0.5 }, { low: 0.3, high: 0.6 })).toEqual({ from: 0, to: 0.6 });
  expect(sharedAxis({ low: -3, high: -2 }, { low: -1, high: -1 })).toEqual({ from: -3, to: 0 });
  expect(sharedAxis({ low: 1000, high: 1001 }, { low: 1000, high: 1002 })).toEqual({ from: 1000, to: 1002 });
  expect(sharedAxis({ low: 1, high: 2 }, { low: NaN, high: NaN })).toBeNull();
});
