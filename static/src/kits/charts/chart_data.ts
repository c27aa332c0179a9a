/** Curves of a chart on one time axis. */

import type { StyledCurve } from "./curve_data";

/** Per time: a value, null where the line is interrupted, undefined where the curve has no point. */
export type Line = (number | null | undefined)[];

export interface ChartData {
  times: number[];
  /** Per curve. */
  values: Line[];
  /** Per curve the places of those of its points that cannot be drawn at their height, since they are not finite. */
  nonFinite: number[][];
  /** Points without a number, at which lines are interrupted. */
  absent: number;
}

/** Brings the curves of a group onto one time axis, which covers the times in `extent` too. */
export function chartData(curves: readonly StyledCurve[], extent: readonly number[] = []): ChartData {
  const times = allTimes([extent, ...curves.map((curve) => curve.t)]);
  const nonFinite: number[][] = [];
  let absent = 0;
  const values = curves.map(({ t, v, absent: isAbsent }) => {
    // Numbers alone are kept without an object for each. As many points are not yet the same times: a curve may have several at one time.
    const line: Line = isSame(t, times) ? Array.from(v) : new Array<undefined>(times.length).fill(undefined);
    const own: number[] = [];
    for (let k = 0, place = 0; k < t.length; k++) {
      while (times[place]! < t[k]!) {
        place += 1;
      }
      const value = v[k]!;
      const isLacking = isAbsent?.[k] === 1;
      absent += isLacking ? 1 : 0;
      if (!isLacking && !Number.isFinite(value)) {
        own.push(k);
      }
      if (isLacking || !Number.isFinite(value)) {
        line[place] = null;
      } else if (line[place] !== value) {
        line[place] = value;
      }
    }
    nonFinite.push(own);
    return line;
  });
  return { times, values, nonFinite, absent };
}

/** Values without a height that are marked alike. */
export interface NonFiniteRow {
  /** The places of the values in their curve. */
  places: number[];
  /** The number of the marker. */
  mark: number;
  /** At the upper edge, or else at the lower. */
  isAbove: boolean;
  /** Counted from that edge, so that no row hides another. */
  row: number;
}

/** Infinities stand at the edge where they would leave the chart, and NaN at the upper one, as in small charts. */
export function nonFiniteRows(v: ArrayLike<number>, places: readonly number[]): NonFiniteRow[] {
  const infinite = places.filter((place) => v[place] === Infinity);
  const rows = [
    { places: infinite, mark: 2, isAbove: true, row: 0 },
    { places: places.filter((place) => Number.isNaN(v[place])), mark: 11, isAbove: true, row: infinite.length > 0 ? 1 : 0 },
    { places: places.filter((place) => v[place] === -Infinity), mark: 4, isAbove: false, row: 0 },
  ];
  return rows.filter((row) => row.places.length > 0);
}

/** How many values a logarithmic axis does not have: it interrupts lines at zero and below. */
export function notPositiveOf(curves: readonly StyledCurve[]): number {
  return curves.reduce((sum, curve) => sum + notPositive(curve), 0);
}

/** Counted once of each curve, however often its axis changes. */
const counted = new WeakMap<StyledCurve, number>();

function notPositive(curve: StyledCurve): number {
  let count = counted.get(curve);
  if (count === undefined) {
    const { v, absent } = curve;
    count = 0;
    for (let k = 0; k < v.length; k++) {
      count += v[k]! <= 0 && v[k]! > -Infinity && absent?.[k] !== 1 ? 1 : 0;
    }
    counted.set(curve, count);
  }
  return count;
}

/** Every time of some lists once, in order. */
export function allTimes(lists: readonly ArrayLike<number>[]): number[] {
  // Curves of one kind mostly have the same times.
  const different = lists.filter((list, k) => list.length > 0 && (k === 0 || !isSame(list, lists[k - 1]!)));
  const joined = new Float64Array(different.reduce((sum, { length }) => sum + length, 0));
  let used = 0;
  for (const list of different) {
    joined.set(list, used);
    used += list.length;
  }
  joined.sort();
  return Array.from(joined.filter((time, k) => k === 0 || time !== joined[k - 1]));
}

function isSame(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  let k = 0;
  while (k < a.length && a[k] === b[k]) {
    k += 1;
  }
  return a.length === b.length && k === a.length;
}
