/** The recorded step that is nearest to a place on a curve, or that shows what began in a step. */

import { partsOf } from "../../data/format/steps";
import type { Trial } from "../../data/format/types";

export interface NearestStep {
  step: number;
  /** How many steps it is away; 0 where the step itself was recorded. */
  away: number;
}

/** The earlier one of two that are equally near; null where the trial has no steps. */
export function nearestStep({ steps }: Trial, time: number): NearestStep | null {
  let nearest: NearestStep | null = null;
  for (const step of steps.step) {
    const away = Math.abs(step - time);
    if (nearest === null || away < nearest.away) {
      nearest = { step, away };
    }
  }
  return nearest;
}

/** The step itself, or the first training step after it that was recorded; else the nearest one. Null where the trial has no steps. */
export function stepSince(trial: Trial, step: number): number | null {
  const { step: recorded } = trial.steps;
  const after = recorded.find((other) => other > step && partsOf(other).evaluation === 0);
  return recorded.includes(step) ? step : (after ?? nearestStep(trial, step)?.step ?? null);
}
