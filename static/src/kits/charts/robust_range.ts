/** The range of a small chart: a few outliers do not flatten the rest. */

/** The core of the values is without this part of them at each end. */
const TAIL = 0.01;

/** A value that is further from the core than so many times its width is an outlier. */
const MOST_BEYOND = 4;

/** No value of fewer is an outlier. */
const LEAST_VALUES = 10;

export interface RobustRange {
  low: number;
  high: number;
  /** How many values lie below and above; they are drawn at the edges. */
  below: number;
  above: number;
}

/** The range of all finite values, without those far from nearly all others; null where no value is finite. */
export function robustRange(lines: readonly ArrayLike<number>[]): RobustRange | null {
  const sorted = Float64Array.from(lines.flatMap((values) => Array.from(values).filter(isUsable))).sort();
  const last = sorted.length - 1;
  if (last < 0) {
    return null;
  }
  const [low, high] = [sorted[Math.ceil(TAIL * last)]!, sorted[Math.floor((1 - TAIL) * last)]!];
  // An outlier flattens nothing if nearly all values are equal.
  const beyond = sorted.length >= LEAST_VALUES && high > low ? MOST_BEYOND * (high - low) : Infinity;
  const inside = sorted.filter((value) => value >= low - beyond && value <= high + beyond);
  const [lowest, highest] = [inside[0]!, inside[inside.length - 1]!];
  return {
    low: lowest,
    high: highest,
    below: sorted.filter((value) => value < lowest).length,
    above: sorted.filter((value) => value > highest).length,
  };
}

/** Whether the width of a range with such a value is finite too. */
function isUsable(value: number): boolean {
  return Number.isFinite(16 * value);
}

/** A line of few points, each the mean of those in its part of the times; a part without a finite value interrupts it. */
export function smoothed(t: ArrayLike<number>, v: ArrayLike<number>, parts: number): { t: number[]; v: number[] } {
  const [first, last] = [t[0] ?? 0, t[t.length - 1] ?? 0];
  const sums = Array.from({ length: parts }, () => ({ t: 0, v: 0, finite: 0, points: 0 }));
  for (let k = 0; k < t.length; k++) {
    const place = last > first ? Math.min(parts - 1, Math.floor((parts * (t[k]! - first)) / (last - first))) : 0;
    const sum = sums[place]!;
    sum.points += 1;
    sum.t += t[k]!;
    if (Number.isFinite(v[k])) {
      sum.v += v[k]!;
      sum.finite += 1;
    }
  }
  const used = sums.filter(({ points }) => points > 0);
  return {
    t: used.map((sum) => sum.t / sum.points),
    v: used.map((sum) => (sum.finite === 0 ? NaN : sum.v / sum.finite)),
  };
}
