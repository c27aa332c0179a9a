/** The range of a chart, which a few outliers do not flatten, and smoothed lines. */

/** What an outlier is. */
export interface Tolerance {
  /** The core of the values is without this part of them at each end. */
  tail: number;
  /** A value that is further from the core than so many times its width is an outlier. */
  beyond: number;
}

const OF_LINES: Tolerance = { tail: 0.01, beyond: 4 };
/** The ends of a band are extremes already: at every time, one curve of many is enough to move them. */
export const OF_BANDS: Tolerance = { tail: 0.1, beyond: 1 };

/** No value of fewer is an outlier. */
const LEAST_VALUES = 10;

export interface RobustRange {
  low: number;
  high: number;
  /** How many values lie below and above; they are drawn at the edges. */
  below: number;
  above: number;
}

/** A line that spans so many times as much as the middle one of all lines has diverged. */
const DIVERGED = 1e6;

/** At most so many values, at equal distances, say where the core is. */
const MOST_SORTED = 5_000;

/** The width of a range with such values is finite too. */
const LARGEST = Number.MAX_VALUE / 16;

/**
 * The range of all finite values, without those far from nearly all others; null where no value is finite. If it is logarithmic, distances
 * are those of logarithms, and what is not positive is no value. Otherwise a line that has diverged does not flatten the rest either.
 */
export function robustRange(
  lines: readonly ArrayLike<number>[],
  logarithmic = false,
  { tail, beyond: mostBeyond }: Tolerance = OF_LINES,
): RobustRange | null {
  const counted = logarithmic ? lines : withoutDiverged(lines);
  const every = distanceOf(Math.ceil(counted.reduce((sum, { length }) => sum + length, 0) / MOST_SORTED));
  const sample = sampleOf(counted, every, logarithmic ? Number.MIN_VALUE : -LARGEST);
  const sorted = (logarithmic ? sample.map(Math.log10) : sample).sort();
  const last = sorted.length - 1;
  if (last < 0) {
    return null;
  }
  const cut = sorted.length >= LEAST_VALUES ? tail : 0;
  const [low, high] = [sorted[Math.ceil(cut * last)]!, sorted[Math.floor((1 - cut) * last)]!];
  // An outlier flattens nothing if nearly all values are equal.
  const hasOutliers = sorted.length >= LEAST_VALUES || counted.length < lines.length;
  const beyond = hasOutliers && high > low ? mostBeyond * (high - low) : Infinity;
  const [least, most] = logarithmic
    ? [Math.max(Number.MIN_VALUE, 10 ** (low - beyond)), Math.min(LARGEST, 10 ** (high + beyond))]
    : [Math.max(-LARGEST, low - beyond), Math.min(LARGEST, high + beyond)];
  return rangeBetween(lines, least, most, logarithmic);
}

/** The lines that have not diverged, if those are at least half of all. */
function withoutDiverged(lines: readonly ArrayLike<number>[]): readonly ArrayLike<number>[] {
  const limit = DIVERGED * middleWidth(lines.map(extremesOf).map(({ lowest, highest }) => highest - lowest));
  const mayDiverge = lines.length > 1 && limit > 0 && lines.some((line) => extremesOf(line).highest - extremesOf(line).lowest > limit);
  if (!mayDiverge) {
    return lines;
  }
  const widths = lines.map((line) => {
    const own = robustRange([line]);
    return own === null ? 0 : own.high - own.low;
  });
  const most = DIVERGED * middleWidth(widths);
  return most > 0 ? lines.filter((_, k) => widths[k]! <= most) : lines;
}

/** The middle one of widths, the smaller one of two in the middle; single values have none. 0 where there is none. */
function middleWidth(widths: readonly number[]): number {
  const sorted = widths.filter((width) => width > 0).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** The range of the values between two, and how many others there are. If it is logarithmic, what is not positive is no value. */
export function rangeBetween(lines: readonly ArrayLike<number>[], least: number, most: number, logarithmic: boolean): RobustRange {
  const floor = logarithmic ? Number.MIN_VALUE : -LARGEST;
  const range = { low: Infinity, high: -Infinity, below: 0, above: 0 };
  for (const line of lines) {
    const { lowest, lowestPositive, highest } = extremesOf(line);
    const lowestCounted = floor > 0 ? lowestPositive : lowest;
    if (lowestCounted >= least && highest <= most) {
      range.low = Math.min(range.low, lowestCounted);
      range.high = Math.max(range.high, highest >= floor ? highest : -Infinity);
      continue;
    }
    for (let k = 0; k < line.length; k++) {
      const value = line[k]!;
      if (value < least) {
        range.below += value >= floor ? 1 : 0;
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

/** The smallest value, the smallest one above zero, and the largest, infinities among them. */
interface Extremes {
  lowest: number;
  lowestPositive: number;
  highest: number;
}

/** A line that lies within the range is not read again whenever a chart is drawn. */
const extremes = new WeakMap<ArrayLike<number>, Extremes>();

function extremesOf(line: ArrayLike<number>): Extremes {
  let known = extremes.get(line);
  if (known === undefined) {
    let [lowest, lowestPositive, highest] = [Infinity, Infinity, -Infinity];
    for (let k = 0; k < line.length; k++) {
      const value = line[k]!;
      lowest = value < lowest ? value : lowest;
      lowestPositive = value < lowestPositive && value > 0 ? value : lowestPositive;
      highest = value > highest ? value : highest;
    }
    known = { lowest, lowestPositive, highest };
    extremes.set(line, known);
  }
  return known;
}

/** The next distance that has no factor with the usual lengths of epochs: a sample is not always of the same batch. */
function distanceOf(least: number): number {
  let distance = least;
  while (distance > 1 && [2, 3, 5].some((factor) => distance % factor === 0)) {
    distance += 1;
  }
  return distance;
}

/** Each n-th value, if it is finite and not below `floor`; every one where no such value is. */
function sampleOf(lines: readonly ArrayLike<number>[], every: number, floor: number): Float64Array {
  const sample = new Float64Array(Math.ceil(lines.reduce((sum, { length }) => sum + length, 0) / Math.max(1, every)));
  let [next, count] = [0, 0];
  for (const line of lines) {
    for (; next < line.length; next += every) {
      const value = line[next]!;
      if (value >= floor && value <= LARGEST) {
        sample[count] = value;
        count += 1;
      }
    }
    next -= line.length;
  }
  return count === 0 && every > 1 ? sampleOf(lines, 1, floor) : sample.subarray(0, count);
}

/** A line of few points, each the mean of those in its part of the times; a part without a finite value interrupts it. */
export function smoothed(t: ArrayLike<number>, v: ArrayLike<number>, parts: number): { t: number[]; v: number[] } {
  const sums = Array.from({ length: parts }, () => ({ t: 0, first: 0, v: 0, finite: 0, points: 0 }));
  for (let k = 0; k < t.length; k++) {
    const sum = sums[partOf(t, t[k]!, parts)]!;
    sum.points += 1;
    sum.t += t[k]!;
    if (Number.isFinite(v[k])) {
      // Differences from the first, so that the mean of equal values is that value, and a constant line stays constant.
      sum.first = sum.finite === 0 ? v[k]! : sum.first;
      sum.v += v[k]! - sum.first;
      sum.finite += 1;
    }
  }
  const used = sums.filter(({ points }) => points > 0);
  return {
    t: used.map((sum) => sum.t / sum.points),
    v: used.map((sum) => (sum.finite === 0 ? NaN : sum.first + sum.v / sum.finite)),
  };
}

/** The lowest and the highest finite value in each of the same parts, where there is one. */
export function extentsOfParts(
  t: readonly number[],
  v: readonly number[],
  parts: number,
): { from: number; to: number; low: number; high: number }[] {
  const extents = Array.from({ length: parts }, () => ({ from: Infinity, to: -Infinity, low: Infinity, high: -Infinity }));
  for (let k = 0; k < t.length; k++) {
    if (Number.isFinite(v[k])) {
      const extent = extents[partOf(t, t[k]!, parts)]!;
      extent.from = Math.min(extent.from, t[k]!);
      extent.to = Math.max(extent.to, t[k]!);
      extent.low = Math.min(extent.low, v[k]!);
      extent.high = Math.max(extent.high, v[k]!);
    }
  }
  return extents.filter(({ low, high }) => low <= high);
}

/** In which of equal parts of the times a time is. */
function partOf(t: ArrayLike<number>, time: number, parts: number): number {
  const [first, last] = [t[0] ?? 0, t[t.length - 1] ?? 0];
  return last > first ? Math.min(parts - 1, Math.floor((parts * (time - first)) / (last - first))) : 0;
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
