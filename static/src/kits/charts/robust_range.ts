/** The range of a chart, which a few outliers do not flatten, and smoothed lines. */

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

/** At most so many values, at equal distances, say where the core is. */
const MOST_SORTED = 20_000;

/** The width of a range with such values is finite too. */
const LARGEST = Number.MAX_VALUE / 16;

/** The range of all finite values, without those far from nearly all others; null where no value is finite. */
export function robustRange(lines: readonly ArrayLike<number>[]): RobustRange | null {
  const every = Math.ceil(lines.reduce((sum, { length }) => sum + length, 0) / MOST_SORTED);
  const sorted = sampleOf(lines, every).sort();
  const last = sorted.length - 1;
  if (last < 0) {
    return null;
  }
  const [low, high] = [sorted[Math.ceil(TAIL * last)]!, sorted[Math.floor((1 - TAIL) * last)]!];
  // An outlier flattens nothing if nearly all values are equal.
  const beyond = sorted.length >= LEAST_VALUES && high > low ? MOST_BEYOND * (high - low) : Infinity;
  const [least, most] = [Math.max(-LARGEST, low - beyond), Math.min(LARGEST, high + beyond)];
  const range = { low: Infinity, high: -Infinity, below: 0, above: 0 };
  // A loop of comparisons: it reads every point whenever a chart is drawn.
  for (const line of lines) {
    for (let k = 0; k < line.length; k++) {
      const value = line[k]!;
      if (value < least) {
        range.below += value >= -LARGEST ? 1 : 0;
      } else if (value > most) {
        range.above += value <= LARGEST ? 1 : 0;
      } else {
        if (value < range.low) {
          range.low = value;
        }
        if (value > range.high) {
          range.high = value;
        }
      }
    }
  }
  return range;
}

/** Each n-th value, if it is finite; every one where no such value is. */
function sampleOf(lines: readonly ArrayLike<number>[], every: number): Float64Array {
  const sample: number[] = [];
  let next = 0;
  for (const line of lines) {
    for (; next < line.length; next += every) {
      if (Math.abs(line[next]!) <= LARGEST) {
        sample.push(line[next]!);
      }
    }
    next -= line.length;
  }
  return sample.length === 0 && every > 1 ? sampleOf(lines, 1) : Float64Array.from(sample);
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

/** A smoothed line that keeps every point that is not finite: smoothing hides none of them. Points are in the order of time. */
export function smoothedHonestly(t: readonly number[], v: readonly number[], parts: number): { t: number[]; v: number[] } {
  const means = smoothed(t, v, parts);
  const points = [
    ...means.t.flatMap((time, k) => (Number.isFinite(means.v[k]) ? [[time, means.v[k]!] as const] : [])),
    ...t.flatMap((time, k) => (Number.isFinite(v[k]) ? [] : [[time, v[k]!] as const])),
  ].sort(([a], [b]) => a - b);
  return { t: points.map(([time]) => time), v: points.map(([, value]) => value) };
}
