/** Numbers of steps. Those of training steps are whole; those of evaluations lie between, a millionth apart. */

import { type Check, fail } from "./checks";

const PARTS = 1e6;

/** The number of a step: a whole number from 0 on, or that of an evaluation, which is greater than -1. */
export const stepNumber: Check<number> = (value, where) =>
  typeof value === "number" && value > -1 && value <= Number.MAX_SAFE_INTEGER ? value : fail(where, "the number of a step");

/** How many training steps came before a step, and which evaluation since then it is: 0 for a training step. */
function partsOf(step: number): { trained: number; evaluation: number } {
  const before = Math.floor(step);
  return before === step ? { trained: step, evaluation: 0 } : { trained: before + 1, evaluation: Math.round((step - before) * PARTS) };
}

/** The number of a step to read: `136`, `after 136`, or `after 136 (3)` for the third evaluation after it. */
export function stepLabel(step: number): string {
  const { trained, evaluation } = partsOf(step);
  if (evaluation === 0) {
    return String(trained);
  }
  return `${trained === 0 ? "before 0" : `after ${trained - 1}`}${evaluation === 1 ? "" : ` (${evaluation})`}`;
}

/** A step within a sentence: `step 136`, or `evaluation 3 after step 136`. `write` writes its number. */
export function stepInWords(step: number, write: (number: number) => string = String): string {
  const { trained, evaluation } = partsOf(step);
  return evaluation === 0
    ? `step ${write(trained)}`
    : `evaluation ${evaluation} ${trained === 0 ? "before step 0" : `after step ${write(trained - 1)}`}`;
}

const LABEL = /^(?<whole>\d{1,15})$|^(?:after (?<after>\d{1,9})|before 0)(?: \((?<which>\d{1,6})\))?$/;
const IN_WORDS = /^(?:steps? (?<whole>\d{1,15})|evaluation (?<which>\d{1,6}) (?:after step (?<after>\d{1,9})|before step 0))$/i;

/** The step that `stepLabel` or `stepInWords` has written so; null for every other text. */
export function readStep(text: string): number | null {
  const parts = (LABEL.exec(text.trim()) ?? IN_WORDS.exec(text.trim()))?.groups;
  if (parts === undefined) {
    return null;
  }
  const { whole, after, which } = parts;
  // Rounded as the recorder does it, so that the number is the same to the bit.
  return whole !== undefined ? Number(whole) : Number((Number(after ?? -1) + Number(which ?? 1) / PARTS).toFixed(6));
}
