/** Many curves of one kind as a band: their median, and the range that they cover. */

import type { Curve } from "../../data/format/types";
import { allTimes } from "./chart_data";
import { type Band, type BandedCurve, inOrder } from "./curve_data";

/** So many curves of one kind are still drawn one by one. */
export const MOST_APART = 6;

/** What the names of curves of one kind have in common: `layer12.weight` is a `layer*.weight`. */
export function patternOf(name: string): string {
  return name.replace(/\d+/g, "*");
}

/** Groups whose names have a pattern in common, if they are many: their curves are in one group, and named by their own groups too. */
export function joinedGroups(curves: readonly Curve[]): Curve[] {
  const byPattern = new Map<string, Set<string>>();
  for (const { group } of curves) {
    const pattern = patternOf(group);
    byPattern.set(pattern, (byPattern.get(pattern) ?? new Set()).add(group));
  }
  return curves.map((curve) => {
    const pattern = patternOf(curve.group);
    return byPattern.get(pattern)!.size > MOST_APART ? { ...curve, group: pattern, name: `${curve.group} ${curve.name}` } : curve;
  });
}

/** Curves of one kind: their names and types differ in numbers alone. */
interface Kind {
  group: string;
  /** What they have in common, for the person. */
  label: string;
  name: string;
  type: string;
  curves: Curve[];
}

/** The kinds of curves of one trial that are so many that a band stands for them, by group, and how many curves each has. */
export function kindsOf(curves: readonly Curve[]): Map<string, Map<string, number>> {
  const counts = new Map(curves.map(({ group }) => [group, new Map<string, number>()]));
  for (const { group, label, curves: own } of manyOfAKind(curves)) {
    const known = counts.get(group)!;
    // Those of several types without numbers, such as evaluations, are opened together.
    known.set(label, Math.max(known.get(label) ?? 0, countOf(own)));
  }
  return counts;
}

/** The curves of one trial, with a band in place of those of a kind that are many, at the place of the first; not where the kind is opened. */
export function withBands(curves: readonly Curve[], isOpened: (group: string, label: string) => boolean): BandedCurve[] {
  const kinds = manyOfAKind(curves).filter(({ group, label }) => !isOpened(group, label));
  const kindOf = new Map(kinds.flatMap((kind) => kind.curves.map((curve) => [curve, kind] as const)));
  return curves.flatMap((curve): BandedCurve[] => {
    const kind = kindOf.get(curve);
    if (kind === undefined) {
      return [curve];
    }
    const { group, name, type, curves: own } = kind;
    if (curve !== own[0]) {
      return [];
    }
    // A step has one type, so that the curves of different types have no step in common.
    const isOfTypes = own.some((other) => other.type !== own[0]!.type);
    return [{ group, name, type, ...bandOf(isOfTypes ? onOneAxis(own) : own) }];
  });
}

function manyOfAKind(curves: readonly Curve[]): Kind[] {
  const alike = new Map<string, Curve[]>();
  for (const curve of curves) {
    const key = JSON.stringify([curve.group, patternOf(curve.name), patternOf(curve.type)]);
    alike.set(key, [...(alike.get(key) ?? []), curve]);
  }
  return [...alike.values()]
    .filter((own) => countOf(own) > MOST_APART)
    .map((own) => {
      const [name, type] = [inCommon(own.map((curve) => curve.name)), inCommon(own.map((curve) => curve.type))];
      const isOfTypes = own.some((curve) => curve.type !== own[0]!.type);
      return { group: own[0]!.group, label: isOfTypes ? `${name} ${type}` : name, name, type, curves: own };
    });
}

/** Each curve counts once, also where those of several trials are given. */
function countOf(curves: readonly Curve[]): number {
  return new Set(curves.map(({ name, type }) => JSON.stringify([name, type]))).size;
}

/** A text that all are, or else their pattern. */
function inCommon(texts: readonly string[]): string {
  return texts.every((text) => text === texts[0]) ? texts[0]! : patternOf(texts[0]!);
}

/**
 * The curves at all times of any of them: between two of its points, a curve is on the line from one to the other. Before its first and after
 * its last point it goes on for as long as it is ever without a point: others have theirs at other times.
 */
export function onOneAxis(curves: readonly Pick<Curve, "t" | "v">[]): Pick<Curve, "t" | "v">[] {
  const ordered = curves.map(({ t, v }) => inOrder(t, v));
  const times = allTimes(ordered.map(({ t }) => t));
  return ordered.map(({ t, v }) => {
    const filled = { t: [] as number[], v: [] as number[] };
    const reach = t.reduce((largest, time, k) => Math.max(largest, k === 0 ? 0 : time - t[k - 1]!), 0);
    let place = 0;
    for (const time of times) {
      for (; t[place]! === time; place += 1) {
        filled.t.push(time);
        filled.v.push(v[place]!);
      }
      const value = t[place - 1] === time ? NaN : valueBetween(t, v, place, time, reach);
      if (Number.isFinite(value)) {
        filled.t.push(time);
        filled.v.push(value);
      }
    }
    return filled;
  });
}

/** At a time before the point at `place`; NaN where the curve has no value. */
function valueBetween(t: readonly number[], v: readonly number[], place: number, time: number, reach: number): number {
  const [before, after] = [t[place - 1], t[place]];
  if (before === undefined) {
    return after !== undefined && after - time <= reach ? v[place]! : NaN;
  }
  if (after === undefined) {
    return time - before <= reach ? v[place - 1]! : NaN;
  }
  const part = (time - before) / (after - before);
  return v[place - 1]! * (1 - part) + v[place]! * part;
}

/** The median and the range of the finite values at each time; NaN where there is none. */
export function bandOf(curves: readonly Pick<Curve, "t" | "v">[]): { t: number[]; v: number[]; band: Band } {
  const ordered = curves.map(({ t, v }) => inOrder(t, v));
  const t = allTimes(ordered.map((curve) => curve.t));
  const places = ordered.map(() => 0);
  const band = { low: [] as number[], high: [] as number[], curves: curves.length, notFinite: 0 } satisfies Band;
  const v = t.map((time) => {
    const values: number[] = [];
    ordered.forEach((curve, k) => {
      // The last of several points at one time counts.
      let value: number | undefined;
      for (; curve.t[places[k]!] === time; places[k]! += 1) {
        value = curve.v[places[k]!];
      }
      if (value !== undefined && Number.isFinite(value)) {
        values.push(value);
      } else if (value !== undefined) {
        band.notFinite += 1;
      }
    });
    values.sort((a, b) => a - b);
    band.low.push(values[0] ?? NaN);
    band.high.push(values.at(-1) ?? NaN);
    return medianOf(values);
  });
  return { t, v, band };
}

function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : sorted.length === 0 ? NaN : sorted[middle - 1]! / 2 + sorted[middle]! / 2;
}
