/** The places of recorded steps along the timeline, from 0, the first step, to 1, the last; and which step is at a place. */

import { stepLabel } from "../../data/format/steps";
import { scaleOf, ticksOf } from "../../ui/figure/scale";

export interface StepScale {
  /** The recorded steps, in ascending order. */
  steps: readonly number[];
  /** The place of each. */
  places: Float64Array;
  /** Whether places are proportional to the numbers of the steps. */
  isLinear: boolean;
}

/** Steps are uneven if this part of them, or more, are closer to each other than this part of the mean distance. */
const UNEVEN = 1 / 4;

/**
 * Proportional to the numbers of the steps, unless these are so uneven that many would share a few pixels, as under a schedule that thins
 * out. Then half of the room goes by number and half is equal for every step: each can be hit, and dense parts still look dense.
 */
export function stepScale(steps: readonly number[]): StepScale {
  const last = steps.length - 1;
  const [first, range] = [steps[0] ?? 0, (steps[last] ?? 0) - (steps[0] ?? 0)];
  if (last < 1) {
    return { steps, places: Float64Array.from(steps, () => 0.5), isLinear: true };
  }
  const distances = Float64Array.from({ length: last }, (_, k) => steps[k + 1]! - steps[k]!).sort();
  const isLinear = distances[Math.floor(UNEVEN * last)]! >= (UNEVEN * range) / last;
  const byNumber = (step: number): number => (step - first) / range;
  return { steps, places: Float64Array.from(steps, (step, k) => (isLinear ? byNumber(step) : (byNumber(step) + k / last) / 2)), isLinear };
}

/** The place of any number: between those of the recorded steps around it, or the first or last one. */
export function placeOf({ steps, places }: StepScale, number: number): number {
  const next = lowerBound(steps, number);
  if (next === 0 || next === steps.length) {
    return places[Math.min(next, steps.length - 1)] ?? 0.5;
  }
  const share = (number - steps[next - 1]!) / (steps[next]! - steps[next - 1]!);
  return places[next - 1]! + share * (places[next]! - places[next - 1]!);
}

/** Which of some steps is nearest to a place. `offered` are ascending positions among the recorded steps; -1 if there are none. */
export function nearestTo({ places }: StepScale, offered: readonly number[], place: number): number {
  const next = lowerBound(offered, place, (k) => places[k]!);
  const [before, after] = [offered[next - 1], offered[next]];
  if (before === undefined || after === undefined) {
    return before ?? after ?? -1;
  }
  return place - places[before]! <= places[after]! - place ? before : after;
}

/** The position of a number among others, which are in ascending order as they are read, or the position that it would have. */
function lowerBound(numbers: readonly number[], wanted: number, read = (number: number): number => number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (read(numbers[middle]!) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

export interface Label {
  place: number;
  text: string;
  /** Whether something begins there, and a line leads up to it. */
  isStart: boolean;
}

/** What is written above the steps: where epochs begin if there are several, otherwise numbers of steps. At most `most`, not too close. */
export function labelsOf(scale: StepScale, epochs: readonly (number | null)[], most: number): Label[] {
  const starts = epochStarts(scale, epochs);
  return thinned(starts.length > 1 ? starts : numbers(scale, most), 1 / most);
}

function epochStarts({ places }: StepScale, epochs: readonly (number | null)[]): Label[] {
  const labels: Label[] = [];
  let current: number | null = null;
  epochs.forEach((epoch, k) => {
    const number = epoch === null || !Number.isFinite(epoch) ? current : Math.floor(epoch);
    if (number !== null && number !== current) {
      labels.push({ place: places[k]!, text: `epoch ${number}`, isStart: true });
      current = number;
    }
  });
  return labels;
}

/** Round numbers where the scale is proportional to them and there are some; else those of recorded steps. */
function numbers(scale: StepScale, most: number): Label[] {
  const { steps, places, isLinear } = scale;
  const every = [...steps.keys()];
  const round = isLinear ? ticksOf(scaleOf(steps[0] ?? 0, steps.at(-1) ?? 0, false), most).filter(Number.isInteger) : [];
  const chosen = round.length > 0 ? round : Array.from({ length: most + 1 }, (_, k) => steps[nearestTo(scale, every, k / most)]!);
  return places.length === 0
    ? []
    : [...new Set(chosen)].map((step) => ({ place: placeOf(scale, step), text: stepLabel(step), isStart: false }));
}

function thinned(labels: readonly Label[], least: number): Label[] {
  const kept: Label[] = [];
  for (const label of labels) {
    if (label.place - (kept.at(-1)?.place ?? -Infinity) >= least * (1 - 1e-9)) {
      kept.push(label);
    }
  }
  return kept;
}
