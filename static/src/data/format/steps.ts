/** Numbers of steps. Those of training steps are whole; those of evaluations lie between, a millionth apart. */

import { type Check, fail } from "./checks";

const PARTS = 1e6;

/** The number of a step: a whole number from 0 on, or that of an evaluation, which is greater than -1. */
export const stepNumber: Check<number> = (value, where) =>
  typeof value === "number" && value > -1 && value <= Number.MAX_SAFE_INTEGER ? value : fail(where, "the number of a step");

/** How many training steps came before a step, and which evaluation since then it is: 0 for a training step. */
export function partsOf(step: number): { trained: number; evaluation: number } {
  const before = Math.floor(step);
  return before === step ? { trained: step, evaluation: 0 } : { trained: before + 1, evaluation: Math.round((step - before) * PARTS) };
}

/** The number of a step to read: `136`, `after 136`, `after 136 (3)` for the third evaluation after it; `evaluation 3` before training. */
export function stepLabel(step: number): string {
  const { trained, evaluation } = partsOf(step);
  if (evaluation === 0) {
    return String(trained);
  }
  return trained === 0 ? `evaluation ${evaluation}` : `after ${trained - 1}${evaluation === 1 ? "" : ` (${evaluation})`}`;
}

/** A step within a sentence: `step 136`, or `evaluation 3 after step 136`. `write` writes its number. */
export function stepInWords(step: number, write: (number: number) => string = String): string {
  const { trained, evaluation } = partsOf(step);
  return evaluation === 0
    ? `step ${write(trained)}`
    : `evaluation ${evaluation} ${trained === 0 ? "before training" : `after step ${write(trained - 1)}`}`;
}

/** The number of an evaluation, rounded as the recorder does it, so that it is the same to the bit. */
export function evaluationAt(trained: number, evaluation: number): number {
  return Number((trained - 1 + evaluation / PARTS).toFixed(6));
}

/** So many evaluations in a row are known as such on the axis of a curve: before training, where there may be nothing else, and later. */
const [MOST_BEFORE, MOST_AFTER] = [1e5, 1e3];

/** Whether a place on the axis of a curve is surely the number of a step. Others are whatever the script has counted. */
export function isSurelyStep(time: number): boolean {
  const { trained, evaluation } = partsOf(time);
  return (
    time > -1 &&
    (evaluation === 0 || (evaluation <= (trained === 0 ? MOST_BEFORE : MOST_AFTER) && evaluationAt(trained, evaluation) === time))
  );
}

const TRAINING = /^(?:steps? )?(?<whole>\d{1,15})$/i;
const LABEL = /^after (?:step )?(?<after>\d{1,9})(?: ?\((?<which>\d{1,6})\))?$/i;
const IN_WORDS = /^evaluation (?<which>\d{1,6})(?: after (?:step )?(?<after>\d{1,9})| before training)?$/i;

/** The step that `stepLabel` or `stepInWords` writes so; null for every other text. */
export function readStep(text: string): number | null {
  const trimmed = text.trim();
  const parts = (TRAINING.exec(trimmed) ?? LABEL.exec(trimmed) ?? IN_WORDS.exec(trimmed))?.groups;
  if (parts === undefined) {
    return null;
  }
  const { whole, after, which } = parts;
  return whole !== undefined ? Number(whole) : evaluationAt(Number(after ?? -1) + 1, Number(which ?? 1));
}
