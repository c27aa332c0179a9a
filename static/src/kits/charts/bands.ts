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

/** The kinds of curves of one trial that are so many that a band stands for them, by group, and how many curves each has. */
export function kindsOf(curves: readonly Curve[]): Map<string, Map<string, number>> {
  const names = new Map<string, Map<string, Set<string>>>();
  for (const { group, name } of curves) {
    const kinds = names.get(group) ?? new Map<string, Set<string>>();
    names.set(group, kinds);
    kinds.set(patternOf(name), (kinds.get(patternOf(name)) ?? new Set()).add(name));
  }
  const many = (kinds: ReadonlyMap<string, Set<string>>): [string, number][] =>
    [...kinds].filter(([, own]) => own.size > MOST_APART).map(([pattern, own]) => [pattern, own.size]);
  return new Map([...names].map(([group, kinds]) => [group, new Map(many(kinds))]));
}

/** The curves of one trial, with a band in place of those of a kind that are many, at the place of the first; not where the kind is opened. */
export function withBands(curves: readonly Curve[], isOpened: (group: string, pattern: string) => boolean): BandedCurve[] {
  const kinds = kindsOf(curves);
  const isBanded = ({ group, name }: Curve): boolean => kinds.get(group)!.has(patternOf(name)) && !isOpened(group, patternOf(name));
  const done = new Set<string>();
  return curves.flatMap((curve): BandedCurve[] => {
    if (!isBanded(curve)) {
      return [curve];
    }
    const { group, type } = curve;
    const name = patternOf(curve.name);
    const key = JSON.stringify([group, name, type]);
    if (done.has(key)) {
      return [];
    }
    done.add(key);
    const own = curves.filter((other) => other.group === group && other.type === type && patternOf(other.name) === name);
    return [{ group, name, type, ...bandOf(own) }];
  });
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
