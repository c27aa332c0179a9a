/** Places on the axis of a curve. Mostly they are numbers of steps; a script may count something else. */

import { evaluationAt, isSurelyStep, partsOf, stepLabel } from "../../data/format/steps";
import type { Tick } from "../../ui/figure/axes";
import { scaleOf, ticksOf, tickTexts } from "../../ui/figure/scale";
import { brief, grouped } from "../../ui/text/format";

/** A place as a number: `1200`, `after 1200 (3)`, `0.25`. */
export function timeText(time: number): string {
  return !Number.isInteger(time) && isSurelyStep(time) ? stepLabel(time) : brief(time);
}

/** A place within a sentence: `step 1,200`, `after 1200 (3)`, `step 0.25`. */
export function timeInWords(time: number): string {
  return Number.isInteger(time) ? `step ${grouped(time)}` : isSurelyStep(time) ? stepLabel(time) : `step ${brief(time)}`;
}

/** Whether there are only evaluations between two places, none of which is a training step. */
export function areOnlyEvaluations(low: number, high: number): boolean {
  const [from, to] = [partsOf(low), partsOf(high)];
  return from.trained === to.trained && from.evaluation > 0 && isSurelyStep(evaluationAt(to.trained, to.evaluation));
}

/** About `most` ticks on an axis from one place to another: round numbers, or some of the evaluations if there are only these. */
export function timeTicks(low: number, high: number, most: number): Tick[] {
  if (areOnlyEvaluations(low, high)) {
    const [{ trained, evaluation: first }, { evaluation: last }] = [partsOf(low), partsOf(high)];
    const chosen =
      first === last ? [first] : ticksOf(scaleOf(first, last, false), most).filter((tick) => tick > 0 && Number.isInteger(tick));
    return chosen.map((evaluation) => evaluationAt(trained, evaluation)).map((value) => ({ value, text: stepLabel(value) }));
  }
  const ticks = ticksOf(scaleOf(low, high, false), most);
  const texts = tickTexts(ticks);
  return ticks.map((value, k) => ({ value, text: texts[k]! }));
}
