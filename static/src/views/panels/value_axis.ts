/** The axis of values: logarithmic on both sides of zero, a row for each bin. */

import { BINS_PER_SIDE, binEdge, type StepHistogram } from "../../data/histograms";

/** Of the values of a step that are not zero, so many may share the rows around zero. */
const SHARE_AROUND_ZERO = 0.02;

/** The rows, from the largest values at the top to the smallest ones. */
export interface ValueRows {
  /** Bins with a smaller magnitude than this one share the two rows beside that of zero. */
  innermost: number;
  /** The largest magnitude of a bin with positive values, and with negative ones; `innermost - 1` where there are none. */
  positive: number;
  negative: number;
  count: number;
}

/** The rows that show histograms: every step keeps the bins of nearly all of its values apart. */
export function valueRows(histograms: Iterable<StepHistogram>): ValueRows {
  let innermost = BINS_PER_SIDE + 1;
  let [positive, negative, hasPositive, hasNegative] = [0, 0, false, false];
  for (const one of histograms) {
    innermost = Math.min(innermost, innermostOf(one));
    positive = Math.max(positive, one.firstPositive + one.positive.length - 1);
    negative = Math.max(negative, one.firstNegative + one.negative.length - 1);
    hasPositive ||= one.positive.length > 0;
    hasNegative ||= one.negative.length > 0;
  }
  const rows = {
    innermost,
    positive: hasPositive ? Math.max(positive, innermost) : innermost - 1,
    negative: hasNegative ? Math.max(negative, innermost) : innermost - 1,
  };
  return { ...rows, count: rows.positive - innermost + rows.negative - innermost + 5 };
}

/** The smallest magnitude that this step wants to see by itself. */
function innermostOf({ firstNegative, negative, firstPositive, positive }: StepHistogram): number {
  const total = negative.reduce((sum, count) => sum + count, 0) + positive.reduce((sum, count) => sum + count, 0);
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

/** The row of zeros. Above it are positive values too small for rows of their own, below it negative ones. */
export function zeroRow({ positive, innermost }: ValueRows): number {
  return positive - innermost + 2;
}

/** The row of a bin: above zero for positive ones. */
export function rowOf(rows: ValueRows, bin: number, isNegative: boolean): number {
  const distance = Math.max(1, bin - rows.innermost + 2);
  return isNegative ? zeroRow(rows) + distance : zeroRow(rows) - distance;
}

/** How many values of a step are in a row. */
export function countInRow(rows: ValueRows, one: StepHistogram, row: number): number {
  const zero = zeroRow(rows);
  if (row === zero) {
    return one.zeros;
  }
  const isNegative = row > zero;
  const [first, counts] = isNegative ? [one.firstNegative, one.negative] : [one.firstPositive, one.positive];
  const distance = Math.abs(row - zero);
  if (distance === 1) {
    return counts.subarray(0, Math.max(0, rows.innermost - first)).reduce((sum, count) => sum + count, 0);
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
  return distance === 1 ? { low: 0, high: binEdge(rows.innermost - 1), isNegative } : { low: binEdge(rows.innermost + distance - 3), high: binEdge(rows.innermost + distance - 2), isNegative };
}

/** Where a value is, in rows from the top; within a row, magnitudes are evenly spaced. Values beyond all rows are at the edge. */
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
