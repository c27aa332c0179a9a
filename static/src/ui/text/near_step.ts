/** How near the recorded step is that a link leads to, where the named step was not recorded. */

import { stepInWords } from "../../data/format/steps";
import type { Trial } from "../../data/format/types";
import { nearestStep } from "../../state/selection/nearest_step";
import { brief, counted, grouped } from "./format";

/** Evaluations lie so close to a training step that only whole steps count. */
export function stepsAway(away: number): string {
  const whole = Math.round(away);
  return Math.abs(away - whole) >= 0.001 ? `${brief(away)} steps` : whole === 0 ? "less than a step" : counted(whole, "step");
}

/** `nearest recorded: step 40, 1 step before it`; empty where the step itself was recorded, or none was. */
export function nearnessText(trial: Trial, step: number): string {
  const nearest = nearestStep(trial, step);
  if (nearest === null || nearest.away === 0) {
    return "";
  }
  const side = nearest.step < step ? "before it" : "after it";
  return `nearest recorded: ${stepInWords(nearest.step, grouped)}, ${stepsAway(nearest.away)} ${side}`;
}
