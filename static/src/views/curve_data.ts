/** Curves by group, prepared for drawing. */

import type { Curve } from "../data/types";

export const COLOR_COUNT = 12;
export const MARKER_COUNT = 12;

/** How a curve is told apart: colour by curve, marker by type of execution, dashes where the colours are used up. */
export interface CurveStyle {
  color: number;
  marker: number;
  dash: readonly number[];
}

export interface StyledCurve {
  name: string;
  type: string;
  t: ArrayLike<number>;
  v: ArrayLike<number>;
  style: CurveStyle;
  /** Its points are drawn apart, without a line between them. */
  marksOnly?: boolean;
}

export interface CurveGroup {
  group: string;
  curves: StyledCurve[];
}

export const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

const { compare: byNumberAndName } = new Intl.Collator("en", { numeric: true });

/** The groups in order of their first occurrence; in a group the curves of a name side by side, by type. */
export function curveGroups(curves: readonly Curve[]): CurveGroup[] {
  const types = [...new Set(curves.map((curve) => curve.type))].sort(byNumberAndName);
  const names = [...new Set(curves.map((curve) => curve.name))];
  const ordered = [...curves].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name) || types.indexOf(a.type) - types.indexOf(b.type));
  const groups = new Map<string, StyledCurve[]>(curves.map((curve) => [curve.group, []]));
  for (const { group, name, type, t, v } of ordered) {
    const members = groups.get(group) ?? [];
    const number = members.length;
    const style = {
      color: number % COLOR_COUNT,
      marker: types.indexOf(type) % MARKER_COUNT,
      dash: DASHES[Math.floor(number / COLOR_COUNT) % DASHES.length] ?? [],
    };
    members.push({ name, type, ...inOrder(t, v), style });
  }
  return [...groups].map(([group, members]) => ({ group, curves: members }));
}

/** Points with a place on the time axis, in the order of time. */
function inOrder(t: readonly number[], v: readonly number[]): { t: number[]; v: number[] } {
  const order = t.map((_, k) => k).filter((k) => Number.isFinite(t[k]));
  order.sort((a, b) => t[a]! - t[b]!);
  return { t: order.map((k) => t[k]!), v: order.map((k) => v[k]!) };
}

export interface ChartData {
  times: number[];
  /** Per curve and time: a value, null where the line is interrupted, undefined where the curve has no point. */
  values: (number | null | undefined)[][];
  /** Per curve the places of those of its points that cannot be drawn at their height, since they are not finite. */
  nonFinite: number[][];
  /** Values that a logarithmic scale does not have. */
  notPositive: number;
}

/** Brings the curves of a group onto one time axis, which covers the times in `extent` too. */
export function chartData(curves: readonly StyledCurve[], logarithmic: boolean, extent: readonly number[] = []): ChartData {
  const times = allTimes([...new Set([extent, ...curves.map((curve) => curve.t)])]);
  const nonFinite: number[][] = [];
  let notPositive = 0;
  const values = curves.map(({ t, v }) => {
    // Numbers alone are kept without an object for each.
    const line: (number | null | undefined)[] = t.length === times.length ? Array.from(v) : new Array<undefined>(times.length).fill(undefined);
    const own: number[] = [];
    for (let k = 0, place = 0; k < t.length; k++) {
      while (times[place]! < t[k]!) {
        place += 1;
      }
      const value = v[k]!;
      const finite = Number.isFinite(value);
      const hidden = logarithmic && value <= 0 && finite;
      notPositive += hidden ? 1 : 0;
      if (!finite) {
        own.push(k);
      }
      if (hidden || !finite) {
        line[place] = null;
      } else if (line[place] !== value) {
        line[place] = value;
      }
    }
    nonFinite.push(own);
    return line;
  });
  return { times, values, nonFinite, notPositive };
}

/** Every time of some lists once, in order. */
function allTimes(lists: readonly ArrayLike<number>[]): number[] {
  const joined = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let used = 0;
  for (const list of lists) {
    joined.set(list, used);
    used += list.length;
  }
  joined.sort();
  return Array.from(joined.filter((time, k) => k === 0 || time !== joined[k - 1]));
}

/** The first place from which on times are not before the one given. */
export function placeFrom(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** The place of the point of a curve that is nearest to a time, or -1. */
export function nearestPoint(t: ArrayLike<number>, time: number): number {
  const low = placeFrom(t, time);
  const [before, after] = [t[low - 1], t[low]];
  if (after === undefined) {
    return t.length - 1;
  }
  return before !== undefined && time - before < after - time ? low - 1 : low;
}
