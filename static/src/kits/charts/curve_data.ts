/** Curves by group, prepared for drawing. */

import type { Curve, Trial } from "../../data/format/types";
import { trialLabel } from "../../state/comparison/second_view";
import { orderedTypes, type StepType } from "../../state/selection/type_order";
import { COLOR_COUNT, curveKey } from "../../state/tab_options/curve_options";
import { brief } from "../../ui/text/format";

const MARKER_COUNT = 12;

/** What distinguishes a curve: colour by curve, or by trial where there are several, marker by type of execution, and dashes once the colours are used up. */
export interface CurveStyle {
  color: number;
  marker: number;
  dash: readonly number[];
  /** The width of its line, in pixels. */
  width: number;
}

export interface StyledCurve {
  name: string;
  /** What else tells it apart; empty where its name says it all. */
  type: string;
  t: ArrayLike<number>;
  v: ArrayLike<number>;
  style: CurveStyle;
  /** Its points are drawn apart, without a line between them. */
  marksOnly?: boolean;
  /** Per point, 1 if there was no number, which interrupts the line. */
  absent?: Uint8Array;
  /** Whose curve it is, where there are those of two trials. */
  side?: Side;
  /** The name of its trial, where there are several. */
  trial?: string;
  /** What it is the median of. */
  band?: Band;
}

/** The range of many curves at each time of their median. */
export interface Band {
  low: readonly number[];
  high: readonly number[];
  /** How many curves it stands for. */
  curves: number;
  /** How many of their values are no finite numbers. */
  notFinite: number;
}

/** A curve, or the median of many, with their range. */
export type BandedCurve = Curve & { band?: Band };

/** Whose curves a chart shows, where it shows those of two trials over each other. */
export type Side = "A" | "B";

/** A curve that the address can name. */
export interface NamedCurve extends StyledCurve {
  id: string;
}

export interface CurveGroup {
  group: string;
  curves: NamedCurve[];
}

/** The lines of curves that share a colour. Those of B are never like one of A: fine where those of A are solid or long. */
const DASHES: Readonly<Record<Side, readonly (readonly number[])[]>> = {
  A: [[], [16, 4], [16, 3, 4, 3], [16, 3, 4, 3, 4, 3]],
  B: [
    [4, 3],
    [1.5, 2.5],
    [5, 2.5, 1.5, 2.5],
    [5, 2.5, 1.5, 2.5, 1.5, 2.5],
  ],
};
const WIDTHS: Readonly<Record<Side, number>> = { A: 1.75, B: 1 };

/** Markers that are filled; behind each of them stands, as many places further, the same shape hollow. */
export const SHAPE_COUNT = 5;

/** How the line of a curve is drawn when so many others with its colour come before it. A single trial is drawn as A is. */
export function lineStyle(before: number, side: Side = "A"): Pick<CurveStyle, "dash" | "width"> {
  return { dash: DASHES[side][before % DASHES[side].length]!, width: WIDTHS[side] };
}

/** Which of two trials a curve is of, and how that one is called beside the other. */
export interface SideOf {
  side: Side;
  trial: string;
}

/** Whose curves these are, where those of several trials are drawn, and their colour. */
export interface TrialOf {
  /** Of those that are compared. */
  side?: Side;
  /** How the trial is called. */
  trial: string;
  color: number;
}

export function sidesOf(first: Trial, second: Trial): [a: SideOf, b: SideOf] {
  return [
    { side: "A", trial: trialLabel(first, second) },
    { side: "B", trial: trialLabel(second, first) },
  ];
}

/** The curves of a trial; where there are those of others too, which they are. */
interface CurvesOfTrial {
  curves: readonly BandedCurve[];
  of?: TrialOf;
  /** Types of its steps, which have their colours whether or not they have curves. */
  types?: readonly StepType[];
}

/**
 * The groups in order of their first occurrence; in a group the curves of a name side by side, by type. Those of several trials have the
 * colours of their trials, and the same dashes and shapes where their names and types are the same. Those of one trial have the colours of
 * their types, as on the timeline, unless a group has several curves of a type.
 */
export function curveGroups(...trials: readonly CurvesOfTrial[]): CurveGroup[] {
  const all = trials.flatMap(({ curves, of }, place) => curves.map((curve) => ({ curve, of, isFirst: place === 0 })));
  const known = trials.flatMap(({ types = [] }) => types);
  const typePlaces = placesOf(orderedTypes([...known.map(({ name }) => name), ...all.map(({ curve }) => curve.type)], known));
  const namePlaces = placesOf(new Set(all.map(({ curve }) => curve.name)));
  const rank = ({ name, type }: BandedCurve): number => namePlaces.get(name)! * typePlaces.size + typePlaces.get(type)!;
  const ofTypes = groupsOfTypes(all.filter(({ of }) => of === undefined).map(({ curve }) => curve));
  const groups = new Map(all.map(({ curve }) => [curve.group, { members: [] as NamedCurve[], numbers: new Map<number, number>() }]));
  for (const { curve, of, isFirst } of all.sort((a, b) => rank(a.curve) - rank(b.curve))) {
    const { members, numbers } = groups.get(curve.group)!;
    const number = numbers.get(rank(curve)) ?? numbers.size;
    numbers.set(rank(curve), number);
    const type = [...(curve.type === curve.name ? [] : [curve.type]), ...(of === undefined ? [] : [of.trial])].join(", ");
    members.push({
      id: curveKey(curve.group, curve.name, curve.type, ...(of === undefined || isFirst ? [] : [of.trial])),
      name: curve.name,
      type,
      // A band is in the order of time already, and its range has the same places.
      ...(curve.band === undefined ? inOrder(curve.t, curve.v) : { t: curve.t, v: curve.v, band: curve.band }),
      style: styleOf(ofTypes.has(curve.group) ? typePlaces.get(curve.type)! : number, typePlaces.get(curve.type)!, of),
      ...(of?.side && { side: of.side }),
      ...(of && { trial: of.trial }),
    });
  }
  return [...groups].map(([group, { members }]) => ({ group, curves: members }));
}

/** The groups that have one curve of each type. */
function groupsOfTypes(curves: readonly BandedCurve[]): Set<string> {
  const types = new Map<string, string[]>();
  for (const { group, type } of curves) {
    types.set(group, [...(types.get(group) ?? []), type]);
  }
  return new Set([...types].flatMap(([group, own]) => (new Set(own).size === own.length ? [group] : [])));
}

function styleOf(number: number, type: number, of: TrialOf | undefined): CurveStyle {
  return of === undefined
    ? { color: number % COLOR_COUNT, marker: type % MARKER_COUNT, ...lineStyle(Math.floor(number / COLOR_COUNT)) }
    : {
        color: of.color,
        marker: (number % SHAPE_COUNT) + (of.side === "B" ? SHAPE_COUNT : 0),
        ...lineStyle(number, of.side),
      };
}

function placesOf(texts: Iterable<string>): Map<string, number> {
  return new Map([...texts].map((text, place) => [text, place]));
}

/** Points with a place on the time axis, in the order of time. */
export function inOrder(t: readonly number[], v: readonly number[]): { t: number[]; v: number[] } {
  const order = t.map((_, k) => k).filter((k) => Number.isFinite(t[k]));
  order.sort((a, b) => t[a]! - t[b]!);
  return { t: order.map((k) => t[k]!), v: order.map((k) => v[k]!) };
}

/** What tells a curve apart beside its name, and that it is a median where it is one. */
export function detailOf({ type, band }: Pick<StyledCurve, "type" | "band">): string {
  return [...(type === "" ? [] : [type]), ...(band === undefined ? [] : [`median of ${band.curves}`])].join(", ");
}

/** A value in words; a missing value is named, not its stand-in. */
export function valueInWords(curve: StyledCurve, place: number): string {
  const value = curve.v[place];
  return value === undefined ? "" : curve.absent?.[place] === 1 ? "no gradient" : brief(value);
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
