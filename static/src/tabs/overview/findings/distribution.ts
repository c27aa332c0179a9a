/** How values are distributed, in a few bars: of values, or of a histogram that was recorded. */

import { binEdge, type StepHistogram } from "../../../data/records/histograms";

export const BARS = 40;

interface Extent {
  low: number;
  high: number;
}

/** The axis of two distributions that are compared; zero is on it unless that is further away than it is long. Null where one has no values. */
export function sharedAxis(first: Extent, second: Extent): { from: number; to: number } | null {
  const [low, high] = [Math.min(first.low, second.low), Math.max(first.high, second.high)];
  const length = high - low;
  return Number.isNaN(length) ? null : { from: low > 0 && low <= length ? 0 : low, to: high < 0 && -high <= length ? 0 : high };
}

/** Counts of finite values in bars of equal width between two values, which lie around all of them. */
export function barsOfValues(values: ArrayLike<number>, low: number, high: number): Float64Array {
  const bars = new Float64Array(BARS);
  for (let k = 0; k < values.length; k++) {
    const value = values[k]!;
    if (Number.isFinite(value)) {
      spread(bars, placeOf(value, low, high), placeOf(value, low, high), 1);
    }
  }
  return bars;
}

/** The same of a recorded histogram: what is in one of its bins is spread evenly over the bars that the bin covers. */
export function barsOfHistogram(histogram: StepHistogram, low: number, high: number): Float64Array {
  const { smallest, largest, firstNegative, negative, zeros, firstPositive, positive } = histogram;
  const bars = new Float64Array(BARS);
  const place = (value: number): number => placeOf(Math.min(largest, Math.max(smallest, value)), low, high);
  negative.forEach((count, k) => {
    const bin = firstNegative + k - 1;
    spread(bars, place(-binEdge(bin + 1)), place(-binEdge(bin)), count);
  });
  positive.forEach((count, k) => {
    const bin = firstPositive + k - 1;
    spread(bars, place(binEdge(bin)), place(binEdge(bin + 1)), count);
  });
  spread(bars, place(0), place(0), zeros);
  return bars;
}

/** The place of a value among the bars, from 0 to their number; in the middle if all values are equal. */
export function placeOf(value: number, low: number, high: number): number {
  return high > low ? BARS * ((value - low) / (high - low)) : BARS / 2;
}

/** Adds a count to the bars between two places, to each by how much of it is covered. */
function spread(bars: Float64Array, from: number, to: number, count: number): void {
  const [first, last] = [barAt(from), barAt(to)];
  for (let bar = first; bar <= last; bar++) {
    const covered = Math.min(to, bar + 1) - Math.max(from, bar);
    bars[bar]! += first === last ? count : (count * covered) / (to - from);
  }
}

function barAt(place: number): number {
  return Math.min(BARS - 1, Math.floor(place));
}
