/** The axis of values: logarithmic on both sides of zero, a row for each bin. */

import { BINS_PER_SIDE, binEdge, type StepHistogram, sumOf } from "../../data/records/histograms";

/** So many of a step's non-zero values may share the rows around zero. */
const SHARE_AROUND_ZERO = 0.02;

/** The rows, from the largest values down to the smallest. Negative values have a negative distance from the row of zeros. */
export interface ValueRows {
  /** Bins with a smaller magnitude than this one share the two rows beside that of zero. */
  innermost: number;
  /** The distances of the first and of the last row that hold values; all between them are there. */
  highest: number;
  lowest: number;
  count: number;
}

/** The rows that show histograms: no further than there are values, and every step keeps the bins of nearly all of its values apart. */
export function valueRows(histograms: readonly StepHistogram[]): ValueRows {
  let innermost = BINS_PER_SIDE + 1;
  for (const histogram of histograms) {
    innermost = histogram.isAbsent ? innermost : Math.min(innermost, innermostOf(histogram));
  }
  let [highest, lowest] = [-Infinity, Infinity];
  const reach = (distance: number): void => {
    highest = Math.max(highest, distance);
    lowest = Math.min(lowest, distance);
  };
  for (const histogram of histograms) {
    histogram.isAbsent || reachValues(histogram, innermost, reach);
  }
  return highest < lowest ? { innermost, highest: 0, lowest: 0, count: 1 } : { innermost, highest, lowest, count: highest - lowest + 1 };
}

/** The outermost values of a step, including those that no bin counts. */
function reachValues(
  { firstNegative, negative, zeros, firstPositive, positive, smallest, largest }: StepHistogram,
  innermost: number,
  reach: (distance: number) => void,
): void {
  if (positive.length > 0) {
    reach(distanceOf(innermost, firstPositive));
    reach(distanceOf(innermost, firstPositive + positive.length - 1));
  }
  if (negative.length > 0) {
    reach(-distanceOf(innermost, firstNegative));
    reach(-distanceOf(innermost, firstNegative + negative.length - 1));
  }
  if (zeros > 0) {
    reach(0);
  }
  for (const value of [smallest, largest]) {
    if (Number.isFinite(value)) {
      reach(value === 0 ? 0 : Math.sign(value) * distanceOf(innermost, binOf(Math.abs(value))));
    }
  }
}

/** How many rows a bin is from zero. */
function distanceOf(innermost: number, bin: number): number {
  return Math.max(1, bin - innermost + 2);
}

/** The smallest magnitude that this step wants to see by itself. */
function innermostOf({ firstNegative, negative, firstPositive, positive }: StepHistogram): number {
  const total = sumOf(negative) + sumOf(positive);
  let below = 0;
  const last = Math.max(firstNegative + negative.length, firstPositive + positive.length);
  for (let bin = Math.min(negative.length === 0 ? last : firstNegative, positive.length === 0 ? last : firstPositive); bin < last; bin++) {
    below += (negative[bin - firstNegative] ?? 0) + (positive[bin - firstPositive] ?? 0);
    if (below > SHARE_AROUND_ZERO * total) {
      return bin;
    }
  }
  return BINS_PER_SIDE + 1;
}

/**
 * The row of zeros; where there are none, it may be beyond all rows. Above it are positive values too small for rows of their own, below it
 * negative ones.
 */
export function zeroRow({ highest }: ValueRows): number {
  return highest;
}

/** The row of a bin: above zero for positive ones. */
export function rowOf(rows: ValueRows, bin: number, isNegative: boolean): number {
  const distance = distanceOf(rows.innermost, bin);
  return isNegative ? zeroRow(rows) + distance : zeroRow(rows) - distance;
}

/** How many values of a step are in a row. */
export function countInRow(rows: ValueRows, histogram: StepHistogram, row: number): number {
  const zero = zeroRow(rows);
  if (row === zero) {
    return histogram.zeros;
  }
  const isNegative = row > zero;
  const [first, counts] = isNegative ? [histogram.firstNegative, histogram.negative] : [histogram.firstPositive, histogram.positive];
  const distance = Math.abs(row - zero);
  if (distance === 1) {
    return sumOf(counts.subarray(0, Math.max(0, rows.innermost - first)));
  }
  return counts[rows.innermost + distance - 2 - first] ?? 0;
}

/** The magnitudes of a row's values: from `low` on, below `high`; both are 0 for the row of zeros. */
export function magnitudesOf(rows: ValueRows, row: number): { low: number; high: number; isNegative: boolean } {
  const distance = Math.abs(row - zeroRow(rows));
  const isNegative = row > zeroRow(rows);
  if (distance === 0) {
    return { low: 0, high: 0, isNegative };
  }
  return distance === 1
    ? { low: 0, high: binEdge(rows.innermost - 1), isNegative }
    : { low: binEdge(rows.innermost + distance - 3), high: binEdge(rows.innermost + distance - 2), isNegative };
}

/** The place of a value, in rows from the top; within a row, magnitudes are evenly spaced. Values beyond all rows are at the edge. */
export function positionOf(rows: ValueRows, value: number): number {
  const zero = zeroRow(rows) + 0.5;
  const magnitude = Math.abs(value);
  if (magnitude === 0) {
    return zero;
  }
  const start = binEdge(rows.innermost - 1);
  let distance = start === 0 || magnitude >= start ? 0 : 0.5 + magnitude / start;
  if (distance === 0) {
    const bin = binOf(magnitude);
    const [low, high] = [binEdge(bin - 1), binEdge(bin)];
    distance = 1.5 + (bin - rows.innermost) + (Number.isFinite(high) ? Math.min(1, (magnitude - low) / (high - low)) : 0.5);
  }
  return Math.max(0, Math.min(rows.count, value < 0 ? zero + distance : zero - distance));
}

const BITS = new DataView(new ArrayBuffer(4));
const LARGEST = 3.4028234663852886e38;

/** The number of the bin with this magnitude, which is not zero. */
export function binOf(magnitude: number): number {
  BITS.setFloat32(0, Math.min(magnitude, LARGEST));
  return Math.min(BINS_PER_SIDE, (BITS.getUint32(0) >>> 21) + 1);
}
