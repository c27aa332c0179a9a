/** The part of a selection that the index alone decides about: trial, rank, type of training step, training step. */

import type { Bundle } from "../../data/bundle";
import { countedSteps, rankOf, stepsOfType } from "./options";
import { ANY_TYPE, FORWARD, type Selection } from "./selection";

/** A selection with the positions of its trial, rank included, and of its step; -1 where there is none. */
export interface Placed {
  selection: Selection;
  trial: number;
  step: number;
}

/**
 * The first view of a bundle, before it is known what the step offers: the first trial that has any steps, and a regular step of training
 * if there is one.
 */
export function initialSelection(bundle: Bundle): Selection {
  const { trials } = bundle.index;
  const trial = trials.find(({ steps }) => steps.step.length > 0) ?? trials[0];
  const steps = trial === undefined ? [] : countedSteps(bundle, trial, ANY_TYPE).map((position) => trial.steps.step[position]!);
  return {
    trial: trial?.name ?? "",
    rank: trial === undefined ? "" : rankOf(bundle, trial),
    recording: FORWARD,
    stepType: ANY_TYPE,
    step: steps.find(Number.isInteger) ?? steps[0] ?? 0,
    iteration: 0,
    node: "",
    role: "",
    aggregation: "batch_mean",
  };
}

/** Makes trial, rank, type and step agree with what exists: else the first trial, its first rank, any type, the nearest step. */
export function place(bundle: Bundle, wanted: Selection): Placed {
  const { trials } = bundle.index;
  const name = trials.some((trial) => trial.name === wanted.trial) ? wanted.trial : trials[0]?.name;
  const trial =
    trials.find((candidate) => candidate.name === name && rankOf(bundle, candidate) === wanted.rank) ??
    trials.find((candidate) => candidate.name === name);
  if (trial === undefined) {
    return { selection: wanted, trial: -1, step: -1 };
  }
  const ofType = stepsOfType(bundle, trial, wanted.stepType);
  const stepType = ofType.length > 0 ? wanted.stepType : ANY_TYPE;
  const steps = ofType.length > 0 ? ofType : stepsOfType(bundle, trial, ANY_TYPE);
  const distance = (k: number): number => Math.abs(trial.steps.step[k]! - wanted.step);
  const step = steps.length === 0 ? -1 : steps.reduce((best, k) => (distance(k) < distance(best) ? k : best));
  return {
    selection: { ...wanted, trial: trial.name, rank: rankOf(bundle, trial), stepType, step: trial.steps.step[step] ?? wanted.step },
    trial: trials.indexOf(trial),
    step,
  };
}
