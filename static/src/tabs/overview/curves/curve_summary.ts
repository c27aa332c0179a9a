/** The curves of all trials, by name, with the last and the best value of each. */

import type { Curve } from "../../../data/format/types";
import { type CurveStyle, curveGroups, inOrder } from "../../../kits/charts/curve_data";
import type { SmallLine } from "../../../kits/charts/small_chart";
import { orderedTypes, type StepType } from "../../../state/selection/type_order";
import { curveKey } from "../../../state/tab_options/curve_options";

/** Which of the values of a curve is the best. */
type Better = "lowest" | "highest";

/** A value, and where it stands. */
export interface Point {
  t: number;
  v: number;
}

export interface SummedLine extends SmallLine {
  /** What tells the line apart in its chart; empty where it is the only one. */
  name: string;
  last: Point | null;
  best: Point | null;
}

export interface CurveChart {
  group: string;
  name: string;
  better: Better | null;
  /** A line for each trial and type; those of all types together where there are many. */
  lines: SummedLine[];
  types: number;
}

/** A trial has one line for all types if there are more. */
const TYPES = 3;

/** The curves of one trial. */
interface TrialCurves {
  trial: string;
  curves: readonly Curve[];
  color: number;
  /** Types of its recorded steps. */
  types: readonly StepType[];
}

const LOWEST = new Set(["loss", "losses", "error", "errors", "perplexity"]);
const HIGHEST = new Set(["accuracy", "accuracies", "f1", "auc", "reward", "rewards", "return", "returns"]);

/** Which values of a curve are better, as far as its name says; if it does not, as far as that of its group says. */
export function betterOf({ group, name }: Pick<Curve, "group" | "name">): Better | null {
  return directionOf(name) ?? directionOf(group);
}

function directionOf(text: string): Better | null {
  const words = text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const [lowest, highest] = [words.some((word) => LOWEST.has(word)), words.some((word) => HIGHEST.has(word))];
  return lowest === highest ? null : lowest ? "lowest" : "highest";
}

/** The best finite value of a curve, and the first of equal ones. */
export function bestOf({ t, v }: Pick<Curve, "t" | "v">, better: Better): Point | null {
  let best = -1;
  v.forEach((value, k) => {
    const isBetter = best < 0 || (better === "lowest" ? value < v[best]! : value > v[best]!);
    best = Number.isFinite(value) && isBetter ? k : best;
  });
  return best < 0 ? null : { t: t[best]!, v: v[best]! };
}

/** A chart for each name in a group, in the order of their first occurrence. */
export function chartsOf(trials: readonly TrialCurves[]): CurveChart[] {
  const styles = stylesOf(trials);
  const known = trials.flatMap((trial) => trial.types);
  const all = trials.flatMap(({ trial, curves }, place) => curves.map((curve) => ({ trial, place, curve })));
  const charts = new Map<string, typeof all>();
  for (const each of all) {
    const key = JSON.stringify([each.curve.group, each.curve.name]);
    charts.set(key, [...(charts.get(key) ?? []), each]);
  }
  return [...charts.values()].map((members) => {
    const { group, name } = members[0]!.curve;
    const better = betterOf({ group, name });
    const types = orderedTypes(
      members.map(({ curve }) => curve.type),
      known,
    );
    const byType = types.length <= TYPES ? types.map((type) => [type]) : [types];
    const lines = trials.flatMap(({ trial }, place) =>
      byType.flatMap((together): SummedLine[] => {
        const own = together.flatMap((type) =>
          members.filter((each) => each.place === place && each.curve.type === type).map(({ curve }) => curve),
        );
        const names = [...(trials.length > 1 ? [trial] : []), ...(byType.length > 1 ? together : [])];
        const [first] = own;
        if (first === undefined) {
          return [];
        }
        const { color, dash } = styles.get(curveKey(group, name, first.type, trial))!;
        // Dashes tell types apart: those of one type would say nothing of all of them.
        return [{ ...summed(own, better), color, dash: together.length > 1 ? [] : dash, name: names.join(", ") }];
      }),
    );
    return { group, name, better, lines, types: types.length };
  });
}

/** A curve that says as much in words: the value that each of its lines has throughout. */
export interface ConstantCurve {
  group: string;
  name: string;
  /** A value once, with the lines that have it; without names where it is that of all. */
  values: { value: number; lines: readonly string[] }[];
}

/** Null where some line has several values, a single point, or a value that is not finite. */
export function constantOf({ group, name, lines }: CurveChart): ConstantCurve | null {
  const isConstant = ({ v }: SummedLine): boolean => v.length > 1 && Number.isFinite(v[0]) && v.every((value) => value === v[0]);
  if (!lines.every(isConstant)) {
    return null;
  }
  const values = [...new Set(lines.map(({ v }) => v[0]!))];
  const named = (value: number): string[] => lines.filter(({ v }) => v[0] === value).map((line) => line.name);
  return { group, name, values: values.map((value) => ({ value, lines: values.length === 1 ? [] : named(value) })) };
}

/** How the Graphs tab draws the curves, so that each looks the same in both. */
function stylesOf(trials: readonly TrialCurves[]): ReadonlyMap<string, CurveStyle> {
  const groups = curveGroups(
    ...trials.map(({ trial, curves, color, types }) => ({
      curves: curves.map((curve) => ({ ...curve, t: [], v: [] })),
      types,
      ...(trials.length > 1 && { of: { trial, color } }),
    })),
  );
  // That of the first trial has no trial in its name.
  const styles = new Map(groups.flatMap(({ curves }) => curves.map(({ id, style }) => [id, style])));
  return new Map(
    trials.flatMap(({ trial, curves }, place) =>
      curves.map(({ group, name, type }) => {
        const id = curveKey(group, name, type, ...(place === 0 ? [] : [trial]));
        return [curveKey(group, name, type, trial), styles.get(id)!];
      }),
    ),
  );
}

function summed(curves: readonly Curve[], better: Better | null): Pick<SummedLine, "t" | "v" | "last" | "best"> {
  const points = inOrder(
    curves.flatMap(({ t }) => t),
    curves.flatMap(({ v }) => v),
  );
  const end = points.t.length - 1;
  return {
    ...points,
    last: end < 0 ? null : { t: points.t[end]!, v: points.v[end]! },
    best: better === null ? null : bestOf(points, better),
  };
}

/** Whether the lines of a chart are those of all types together. */
export function hasTypesTogether({ types }: Pick<CurveChart, "types">): boolean {
  return types > TYPES;
}
