/** What is among some values: counts of what is special, and where the finite ones lie. */

import type { GatheredValues } from "../data/gathered";
import { inParts, type Work } from "./sliced";

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

/** Of the values that are loaded. */
export function* censusOf(values: GatheredValues): Work<Census> {
  const { numbers } = values;
  const ranges = values.loaded;
  let [nan, positiveInfinity, negativeInfinity, zeros, finite] = [0, 0, 0, 0, 0];
  let [low, high, sum] = [Infinity, -Infinity, 0];
  for (const [first, end] of ranges) {
    yield* inParts(end - first, (from, to) => {
      for (let k = first + from; k < first + to; k++) {
        const value = numbers[k]!;
        if (value - value === 0) {
          finite += 1;
          sum += value;
          low = value < low ? value : low;
          high = value > high ? value : high;
          zeros += value === 0 ? 1 : 0;
        } else if (value > 0) {
          positiveInfinity += 1;
        } else if (value < 0) {
          negativeInfinity += 1;
        } else {
          nan += 1;
        }
      }
    });
  }
  const mean = finite === 0 ? 0 : sum / finite;
  return {
    nan, positiveInfinity, negativeInfinity, zeros, finite,
    low: finite === 0 ? 0 : low,
    high: finite === 0 ? 0 : high,
    mean,
    std: finite < 2 ? 0 : Math.sqrt((yield* squares(numbers, ranges, mean)) / (finite - 1)),
  };
}

function* squares(numbers: ArrayLike<number>, ranges: readonly [number, number][], mean: number): Work<number> {
  let sum = 0;
  for (const [first, end] of ranges) {
    yield* inParts(end - first, (from, to) => {
      for (let k = first + from; k < first + to; k++) {
        const difference = numbers[k]! - mean;
        sum += difference - difference === 0 ? difference * difference : 0;
      }
    });
  }
  return sum;
}
