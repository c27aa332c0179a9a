/** The recorded step that is nearest to a place on a curve. */

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
