/** The types of training steps in one order, which gives each the same colour on the timeline and in curves: training first, then evaluations. */

import type { Bundle } from "../../data/bundle";
import type { Trial } from "../../data/format/types";
import { BY_NAME } from "./options";

/** Scripts are free to name their types: a type is an evaluation if a word of its name is one of these. */
const EVALUATION_WORDS = /(^|[^a-z])(eval|evals|evaluate|evaluation|val|valid|validate|validation|test|testing|dev)([^a-z]|$)/;

export function isEvaluation(type: string): boolean {
  return EVALUATION_WORDS.test(type.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase());
}

/** Each type once, training first. */
export function orderedTypes(types: Iterable<string>): string[] {
  return [...new Set(types)].sort((a, b) => Number(isEvaluation(a)) - Number(isEvaluation(b)) || BY_NAME.compare(a, b));
}

/** The types of the recorded steps of a trial. */
export function recordedTypes(bundle: Bundle, trial: Trial): string[] {
  return [...new Set(trial.steps.type)].map((position) => bundle.text(position));
}
