/** What is among some values: counts of what is special, and where the finite ones lie. */

import type { GatheredValues } from "../../data/arrays/gathered_values";
import { inParts, type Work } from "../../ui/scheduling/time_slices";
import { brief, counted } from "../../ui/text/format";

export interface Census {
  nan: number;
  positiveInfinity: number;
  negativeInfinity: number;
  zeros: number;
  finite: number;
  /** Of the finite values; 0 where there are none. `std` is unbiased, and 0 of a single value. */
  low: number;
  high: number;
  mean: number;
  std: number;
}

/** `12 finite values from -1 to 3, mean 0.5`. */
export function rangeInWords({ finite, low, high, mean }: Census): string {
  return `${counted(finite, "finite value")} from ${brief(low)} to ${brief(high)}, mean ${brief(mean)}`;
}

/** Of the values that are loaded. */
export function* censusOf(values: Pick<GatheredValues, "numbers" | "loaded">): Work<Census> {
  const { numbers } = values;
  const ranges = values.loaded;
  const total: Counts = { nan: 0, positiveInfinity: 0, negativeInfinity: 0, zeros: 0, finite: 0, low: Infinity, high: -Infinity, sum: 0 };
  for (const [first, end] of ranges) {
    yield* inParts(end - first, (from, to) => count(total, numbers, first + from, first + to));
  }
  const { sum, low, high, ...counts } = total;
  const mean = counts.finite === 0 ? 0 : sum / counts.finite;
  let squares = 0;
  for (const [first, end] of ranges) {
    yield* inParts(end - first, (from, to) => (squares += squaresOf(numbers, first + from, first + to, mean)));
  }
  return {
    ...counts,
    low: counts.finite === 0 ? 0 : low,
    high: counts.finite === 0 ? 0 : high,
    mean,
    std: counts.finite < 2 ? 0 : Math.sqrt(squares / (counts.finite - 1)),
  };
}

interface Counts extends Omit<Census, "mean" | "std"> {
  sum: number;
}

/** Counts in variables of its own: those of a function around it take twice as long. */
function count(total: Counts, numbers: ArrayLike<number>, from: number, to: number): void {
  let [positive, negative, zeros, finite] = [0, 0, 0, 0];
  let [low, high, sum] = [Infinity, -Infinity, 0];
  for (let k = from; k < to; k++) {
    const value = numbers[k]!;
    if (value - value === 0) {
      finite += 1;
      sum += value;
      low = Math.min(low, value);
      high = Math.max(high, value);
      zeros += value === 0 ? 1 : 0;
    } else if (value > 0) {
      positive += 1;
    } else if (value < 0) {
      negative += 1;
    }
  }
  total.nan += to - from - finite - positive - negative;
  total.positiveInfinity += positive;
  total.negativeInfinity += negative;
  total.zeros += zeros;
  total.finite += finite;
  total.low = Math.min(total.low, low);
  total.high = Math.max(total.high, high);
  total.sum += sum;
}

/** The sum of the squares of what finite values differ from the mean. */
function squaresOf(numbers: ArrayLike<number>, from: number, to: number, mean: number): number {
  let sum = 0;
  for (let k = from; k < to; k++) {
    const difference = numbers[k]! - mean;
    sum += difference - difference === 0 ? difference * difference : 0;
  }
  return sum;
}
