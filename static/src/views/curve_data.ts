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
  t: readonly number[];
  v: readonly number[];
  style: CurveStyle;
}

export interface CurveGroup {
  group: string;
  curves: StyledCurve[];
}

const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

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

/** A value that cannot be drawn at its height, and where it is marked instead. */
export interface NonFinite {
  curve: number;
  t: number;
  v: number;
}

export interface ChartData {
  times: number[];
  /** Per curve and time: a value, null where the line is interrupted, undefined where the curve has no point. */
  values: (number | null | undefined)[][];
  nonFinite: NonFinite[];
  /** Values that a logarithmic scale does not have. */
  notPositive: number;
}

/** Brings the curves of a group onto one time axis. */
export function chartData(curves: readonly StyledCurve[], logarithmic: boolean): ChartData {
  const times = [...new Set(curves.flatMap((curve) => curve.t))].sort((a, b) => a - b);
  const placeOf = new Map(times.map((time, k) => [time, k]));
  const nonFinite: NonFinite[] = [];
  let notPositive = 0;
  const values = curves.map(({ t, v }, curve) => {
    const line = new Array<number | null | undefined>(times.length).fill(undefined);
    t.forEach((time, k) => {
      const value = v[k]!;
      const hidden = logarithmic && value <= 0 && Number.isFinite(value);
      notPositive += hidden ? 1 : 0;
      if (!Number.isFinite(value)) {
        nonFinite.push({ curve, t: time, v: value });
      }
      line[placeOf.get(time)!] = hidden || !Number.isFinite(value) ? null : value;
    });
    return line;
  });
  return { times, values, nonFinite, notPositive };
}

/** The place of the point of a curve that is nearest to a time, or -1. */
export function nearestPoint(t: readonly number[], time: number): number {
  let low = 0;
  let high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle]! < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const [before, after] = [t[low - 1], t[low]];
  if (after === undefined) {
    return t.length - 1;
  }
  return before !== undefined && time - before < after - time ? low - 1 : low;
}
