/** The curves of one tensor over all steps, worked out from its records. */

import type { Numbers } from "../../../data/arrays/lanes";
import type { Bundle } from "../../../data/bundle";
import type { Trial } from "../../../data/format/types";
import { FLAG_GRADIENT_ABSENT } from "../../../data/records/record_offsets";
import type { SeriesRecord } from "../../../data/records/series";
import { lineStyle, SHAPE_COUNT, type Side, type SideOf, type StyledCurve } from "../../../kits/charts/curve_data";
import { ANY_TYPE, FORWARD, TRIGGERED } from "../../../state/selection/selection";
import { curveId, type Statistic } from "../../../state/tab_options/over_time_options";
import { recordingLabel } from "../../../ui/text/format";

/** A statistic as it is called, where its colour is among those of curves, and whether it is a number of values. */
interface Meaning {
  label: string;
  color: number;
  isCount: boolean;
  /** What it is, where its name does not say that. */
  hint?: string;
  /** Where it is in a record; undefined where the record does not have it. */
  read: (record: SeriesRecord, aggregation: number) => Numbers | undefined;
}

const item = (name: string) => (record: SeriesRecord, aggregation: number) => {
  const place = record.items.indexOf(name);
  return place < 0 ? undefined : record.statistic(place, record.aggregations === 1 ? 0 : aggregation);
};
/** A norm per norm; none where the second one is 0. */
const ratio =
  (upper: string, lower: string) =>
  (record: SeriesRecord, aggregation: number): Numbers | undefined => {
    const [over, under] = [item(upper)(record, aggregation), item(lower)(record, aggregation)];
    if (over === undefined || under === undefined) {
      return undefined;
    }
    const at = (k: number): number | undefined => (Number(under.at(k)) === 0 ? undefined : Number(over.at(k)) / Number(under.at(k)));
    return {
      length: over.length,
      at,
      chunks: (start, end) => [...over.chunks(start, end), ...under.chunks(start, end)],
      dtype: "F64",
      parts: () => [],
    };
  };
/** Without the steps of which it is not known. */
const known =
  (name: string) =>
  (record: SeriesRecord, aggregation: number): Numbers | undefined => {
    const numbers = item(name)(record, aggregation);
    return numbers && { ...numbers, at: (k) => (Number.isNaN(Number(numbers.at(k))) ? undefined : numbers.at(k)) };
  };
const count = (column: number) => (record: SeriesRecord) => record.count(column);

/** Says of each step whether the gradient was absent; undefined for forward values. */
function flagsOf(record: SeriesRecord): Numbers | undefined {
  return record.group === FORWARD ? undefined : record.count(FLAGS);
}

const FLAGS = 4;

export const MEANINGS: Readonly<Record<Statistic, Meaning>> = {
  mean: { label: "mean", color: 0, isCount: false, read: item("mean") },
  abs_mean: { label: "abs_mean", color: 2, isCount: false, read: item("abs_mean") },
  std: { label: "std", color: 4, isCount: false, read: item("std") },
  abs_max: { label: "abs_max", color: 1, isCount: false, read: item("abs_max") },
  svd: { label: "svd", color: 5, isCount: false, read: item("svd") },
  single_value: { label: "value", color: 0, isCount: false, read: item("single_value") },
  min: { label: "smallest", color: 9, isCount: false, read: (record) => record.extreme(0) },
  max: { label: "largest", color: 6, isCount: false, read: (record) => record.extreme(1) },
  norm: { label: "norm", color: 8, isCount: false, hint: "The Euclidean norm of the parameter before the step", read: item("norm") },
  update_norm: {
    label: "update norm",
    color: 3,
    isCount: false,
    hint: "The Euclidean norm of how the step changed the parameter",
    read: item("update_norm"),
  },
  update_ratio: {
    label: "update / norm",
    color: 7,
    isCount: false,
    hint: "The norm of the change over the norm before the step",
    read: ratio("update_norm", "norm"),
  },
  accumulated_gradient: {
    label: "accumulated gradient",
    color: 10,
    isCount: false,
    hint: "The Euclidean norm of what earlier steps left in the gradient",
    read: known("accumulated_gradient"),
  },
  nan: { label: "NaN", color: 3, isCount: true, hint: "How many values are NaN", read: count(0) },
  posinf: { label: "+inf", color: 1, isCount: true, hint: "How many values are +inf", read: count(1) },
  neginf: { label: "-inf", color: 4, isCount: true, hint: "How many values are -inf", read: count(2) },
  zeros: { label: "zeros", color: 7, isCount: true, hint: "How many values are zeros", read: count(3) },
};

/** A curve by its name in the address. */
export interface TimeCurve extends StyledCurve {
  id: string;
  /** The recording type of its record. */
  group: string;
  isCount: boolean;
}

/** Points of a record: positions in its steps, and the steps there. Curves of the same steps have the same list of times. */
interface Places {
  places: readonly number[];
  t: Float64Array;
}

/** Which points of a record are drawn. */
interface Chosen {
  regular: Places;
  triggered: Places;
}

/** Sorts the steps of records by whether they are of the type that is selected; triggered ones are kept apart. */
export class StepChooser {
  private readonly positions: ReadonlyMap<number, number>;
  private readonly known = new Map<readonly number[], Chosen>();

  constructor(
    private readonly bundle: Bundle,
    private readonly trial: Trial,
    private readonly type: string,
  ) {
    this.positions = new Map(trial.steps.step.map((step, k) => [step, k]));
  }

  choose(steps: readonly number[]): Chosen {
    const known = this.known.get(steps);
    if (known !== undefined) {
      return known;
    }
    const regular: number[] = [];
    const triggered: number[] = [];
    steps.forEach((step, k) => {
      const position = this.positions.get(step);
      if (position === undefined) {
        return;
      }
      const isTriggered = this.trial.steps.triggered[position]! >= 0;
      // Who looks at triggered steps sees them among all others.
      if (this.type === ANY_TYPE || this.type === TRIGGERED || this.bundle.typeOf(this.trial, position) === this.type) {
        (isTriggered ? triggered : regular).push(k);
      }
    });
    const placesOf = (places: readonly number[]): Places => ({ places, t: Float64Array.from(places, (place) => steps[place]!) });
    const chosen = { regular: placesOf(regular), triggered: placesOf(triggered) };
    this.known.set(steps, chosen);
    return chosen;
  }
}

/** The chunks that the curves need. */
export function chunksOf(records: readonly SeriesRecord[], statistics: readonly Statistic[], aggregation: number): number[] {
  const numbers = records.flatMap((record) => [
    flagsOf(record),
    ...statistics.map((statistic) => MEANINGS[statistic].read(record, aggregation)),
  ]);
  return [...new Set(numbers.flatMap((row) => row?.chunks(0, row.length) ?? []))];
}

/** The records whose curves are drawn, and which of their steps. */
export interface CurvesOf {
  records: readonly SeriesRecord[];
  chooser: StepChooser;
  /** Where there are curves of two trials: which these are, and how their trial is called. */
  of?: SideOf;
}

/** The curves, once all of their chunks are there: those of a recording type side by side, in the order of the statistics. */
export function timeCurves(
  { records, chooser, of }: CurvesOf,
  statistics: readonly Statistic[],
  aggregation: number,
  groups: readonly string[],
): TimeCurve[] {
  return groups.flatMap((group, number) => {
    const own = records.filter((record) => record.group === group);
    return statistics.flatMap((statistic) => {
      const { label, color, isCount, read } = MEANINGS[statistic];
      const rows = own.flatMap((record) => {
        const numbers = read(record, aggregation);
        return numbers === undefined ? [] : [{ record, numbers }];
      });
      return ([false, true] as const).flatMap((triggered): TimeCurve[] => {
        const { t, v, absent } = joined(
          rows.map(({ record, numbers }) =>
            pointsOf(numbers, flagsOf(record), chooser.choose(record.steps)[triggered ? "triggered" : "regular"]),
          ),
        );
        return t.length === 0
          ? []
          : [
              {
                id: curveId(statistic, group, triggered, of?.side === "B"),
                group,
                isCount,
                name: label,
                type: [recordingLabel(group), ...(triggered ? ["triggered steps"] : []), ...(of === undefined ? [] : [of.trial])].join(
                  ", ",
                ),
                ...(of && { side: of.side }),
                t,
                v,
                ...(absent.includes(1) && { absent }),
                style: { color, marker: markerOf(number, triggered, of?.side), ...lineStyle(number, of?.side) },
                ...(triggered && { marksOnly: true }),
              },
            ];
      });
    });
  });
}

/** Triggered steps are hollow; of two trials, B is, and triggered steps have other shapes than the lines that they lie on. */
function markerOf(group: number, triggered: boolean, side: Side | undefined): number {
  const shape = (side !== undefined && triggered ? group + 2 : group) % SHAPE_COUNT;
  return shape + ((side === undefined ? triggered : side === "B") ? SHAPE_COUNT : 0);
}

interface Points {
  t: Float64Array;
  v: Float64Array;
  absent: Uint8Array;
}

/** Those where there is a number: a ratio, say, has none at some steps. */
function pointsOf(numbers: Numbers, flags: Numbers | undefined, all: Places): Points {
  const places = all.places.filter((place) => numbers.at(place) !== undefined);
  const t = places.length === all.places.length ? all.t : all.t.filter((_, k) => numbers.at(all.places[k]!) !== undefined);
  const v = Float64Array.from(places, (place) => Number(numbers.at(place)));
  const absent = Uint8Array.from(places, (place) => Number(flags?.at(place) ?? 0) & FLAG_GRADIENT_ABSENT);
  return { t, v, absent };
}

/** The points of all parts, in the order of time: a record that changes its kind is in several parts. */
function joined(parts: readonly Points[]): Points {
  const [first, ...others] = parts.filter(({ t }) => t.length > 0);
  if (first === undefined || others.length === 0) {
    return first ?? { t: new Float64Array(), v: new Float64Array(), absent: new Uint8Array() };
  }
  const all = [first, ...others]
    .flatMap(({ t, v, absent }) => Array.from(t, (time, k) => [time, v[k]!, absent[k]!] as const))
    .sort(([a], [b]) => a - b);
  return {
    t: Float64Array.from(all, ([time]) => time),
    v: Float64Array.from(all, ([, value]) => value),
    absent: Uint8Array.from(all, ([, , flag]) => flag),
  };
}
