/** Where steps are on the time axis that all panels share. */

import { groupedBy } from "../../data/collections";
import { stepLabel } from "../../data/format/steps";
import type { Trial } from "../../data/format/types";
import type { TimeAxis } from "../../state/tab_options/panel_options";
import { brief, grouped } from "../../ui/text/format";

export interface TimeScale {
  axis: TimeAxis;
  /** The first and the last place that a step has; equal where there is one. */
  low: number;
  high: number;
  /** The place of each step, by its number; steps without a known place are missing. */
  places: ReadonlyMap<number, number>;
  /** Of how many steps it is not known. */
  unknown: number;
}

/** Places all steps of the trial, of whatever type, so that what happens at the same time is at the same place. */
export function timeScale({ steps }: Trial, axis: TimeAxis): TimeScale {
  const places = new Map<number, number>();
  if (axis === "epoch") {
    spreadOverEpochs(steps.step, steps.epoch, places);
  } else {
    steps.step.forEach((step, k) => {
      const place = axis === "step" ? step : (steps.time[k] ?? null);
      if (place !== null && Number.isFinite(place)) {
        places.set(step, place);
      }
    });
  }
  const values = [...places.values()];
  const low = values.reduce((least, place) => Math.min(least, place), Infinity);
  const high = values.reduce((most, place) => Math.max(most, place), -Infinity);
  return {
    axis,
    low: values.length === 0 ? 0 : low,
    high: values.length === 0 ? 0 : high,
    places,
    unknown: steps.step.length - values.length,
  };
}

/**
 * An epoch reaches from its first recorded step to that of the next one; the last is as wide as the one before it, or wider where it has
 * steps beyond that. A step is within its epoch where its number is.
 */
function spreadOverEpochs(steps: readonly number[], epochs: readonly (number | null)[], places: Map<number, number>): void {
  const known = [...steps.keys()].filter((k) => Number.isFinite(epochs[k]));
  const members = [...groupedBy(known, (k) => epochs[k]!)].sort(([a], [b]) => a - b);
  let perStep = Infinity;
  members.forEach(([epoch, positions], k) => {
    const own = positions.map((position) => steps[position]!);
    const [first, following] = [own[0]!, members[k + 1]];
    const next = following && steps[following[1][0]!];
    const length = Math.min(1, (following?.[0] ?? epoch + 1) - epoch);
    if (next !== undefined && next > first) {
      perStep = length / (next - first);
    }
    const speed = Math.min(perStep, length / (own.at(-1)! - first + 1));
    own.forEach((step) => places.set(step, epoch + (step - first) * speed));
  });
}

/** A place on the axis in words: the number of the step, the whole number of the epoch, or the time since the recording began. */
export function placeInWords(place: number, axis: TimeAxis): string {
  if (axis === "time") {
    return duration(place);
  }
  if (axis === "epoch") {
    return grouped(Math.floor(place));
  }
  return Number.isInteger(place) ? grouped(place) : stepLabel(place);
}

function duration(seconds: number): string {
  if (seconds < 60) {
    return `${brief(Math.round(seconds * 10) / 10)} s`;
  }
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${grouped(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}
