/** The types of training steps in one order, which gives each the same colour on the timeline and in curves: training first, then evaluations. */

import type { Bundle } from "../../data/bundle";
import type { Trial } from "../../data/format/types";
import { byName } from "./options";

/** A type of steps, and whether these are evaluations. */
export interface StepType {
  name: string;
  isEvaluation: boolean;
}

/** Where nothing but its name is known of a type: it is an evaluation if a word of that is one of these. */
const EVALUATION_WORDS = /(^|[^a-z])(eval|evals|evaluate|evaluation|val|valid|validate|validation|test|testing|dev)([^a-z]|$)/;

export function isNamedAsEvaluation(type: string): boolean {
  return EVALUATION_WORDS.test(type.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase());
}

/** Each type once, training first. `known` says which are evaluations; of others their names do. */
export function orderedTypes(types: Iterable<string>, known: readonly StepType[]): string[] {
  const isEvaluation = new Map(known.map((type) => [type.name, type.isEvaluation]));
  const row = (type: string): number => Number(isEvaluation.get(type) ?? isNamedAsEvaluation(type));
  return [...new Set(types)].sort((a, b) => row(a) - row(b) || byName(a, b));
}

/** The types of the recorded steps of a trial. Steps that do not train are evaluations, whatever their type is called. */
export function recordedTypes(bundle: Bundle, trial: Trial): StepType[] {
  const { type, trained } = bundle.index.step_types;
  return [...new Set(trial.steps.type)].map((position) => {
    const name = bundle.text(position);
    const place = type.indexOf(position);
    return { name, isEvaluation: place < 0 ? isNamedAsEvaluation(name) : trained[place] === 0 };
  });
}
