/** What each selector offers: what can be reached by changing it alone. */

import type { Bundle } from "../../data/bundle";
import type { SampleSet, Trial } from "../../data/format/types";
import { BATCH_AGGREGATIONS, NO_BATCH_AGGREGATION } from "../../data/records/record_offsets";
import { agrees, type StepOffers } from "./offers";
import type { StepSelection } from "./resolve";
import { ALL_RANKS, ANY_TYPE, ONLY_RANK, sampleAggregation, TRIGGERED } from "./selection";

export interface Option {
  value: string;
  label: string;
  /** Shown, but not to be chosen now. */
  disabled?: boolean;
}

const AGGREGATION_LABELS: ReadonlyMap<string, string> = new Map([
  [BATCH_AGGREGATIONS[0], "Mean over the batch"],
  [BATCH_AGGREGATIONS[1], "Maximum absolute value over the batch"],
  [BATCH_AGGREGATIONS[2], "STD over the batch"],
  [NO_BATCH_AGGREGATION, "Has no batch dimension"],
]);

/** All recording types of the step; those without this tensor cannot be chosen. */
export function recordingOptions(offers: StepOffers, selection: StepSelection): Option[] {
  const shown = offers.of(selection.iteration, selection.node);
  return offers.recordings.map((recording) => ({
    value: recording,
    label: recording,
    disabled: !shown.some((offer) => offer.role === selection.role && offer.recordings.includes(recording)),
  }));
}

/** What a role is, to a reader. */
export const ROLE_HINT = "A tensor can be registered under several names in one step. This says which of them is shown.";

/** The roles of the node that have numbers; going to one with other samples lets the sample give way. */
export function roleOptions(offers: StepOffers, selection: StepSelection): Option[] {
  const { recording, node } = selection;
  const roles = offers.of(selection.iteration, node).filter((offer) => agrees(offer, { recording }));
  return [...new Set(roles.map((offer) => offer.role))].map((role) => ({ value: role, label: role }));
}

export function aggregationOptions(offers: StepOffers, selection: StepSelection, labelOf: (aggregation: string) => string): Option[] {
  const { recording, node, role } = selection;
  const offer = offers.of(selection.iteration, node).find((candidate) => agrees(candidate, { recording, role }));
  return (offer?.aggregations ?? []).map((aggregation) => ({ value: aggregation, label: labelOf(aggregation) }));
}

/** How an aggregation is called, given the samples of the step. */
export function aggregationLabel(aggregation: string, samples: SampleSet, text: (position: number) => string): string {
  const place = samples.index.findIndex((index) => sampleAggregation(index) === aggregation);
  return AGGREGATION_LABELS.get(aggregation) ?? text(samples.label[place] ?? -1);
}

/** The trials, each with the severity of the most severe finding; -1 if it has none. */
export function trialOptions(bundle: Bundle): (Option & { worst: number })[] {
  const byName = new Map(bundle.index.trials.map(({ name, worst }) => [name, worst]));
  return [...byName].map(([name, worst]) => ({ value: name, label: name, worst }));
}

/** How the rank of a trial is called in a selection. */
export function rankOf(bundle: Bundle, trial: Trial): string {
  const others = bundle.index.trials.some((other) => other.name === trial.name && other.rank !== trial.rank);
  return !others ? ONLY_RANK : trial.rank === null ? ALL_RANKS : String(trial.rank);
}

/** The trial of this name: its rank that another trial has, or its first; undefined where the bundle has no trial of this name. */
export function trialNamed(bundle: Bundle, name: string, like: Trial): Trial | undefined {
  const own = like.name === name ? [like] : bundle.index.trials.filter((trial) => trial.name === name);
  return own.find((trial) => rankOf(bundle, trial) === rankOf(bundle, like)) ?? own[0];
}

/** The ranks of the trial of this name, and what they are together; empty where no trial of the bundle has several. */
export function rankOptions(bundle: Bundle, name: string): Option[] {
  const { trials } = bundle.index;
  if (new Set(trials.map((trial) => trial.name)).size === trials.length) {
    return [];
  }
  const ranks = trials.filter((trial) => trial.name === name);
  return ranks.map((trial) => ({ value: rankOf(bundle, trial), label: rankLabel(trial) }));
}

export function rankLabel(trial: Trial): string {
  return trial.rank === null ? "All ranks together" : `rank ${trial.rank}`;
}

/** Compares names, and numbers in them as numbers. Not with a collator: browsers load one for ten milliseconds and more. */
export function byName(a: string, b: string): number {
  const [first, second] = [a, b].map((name) => name.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(20, "0"))) as [
    string,
    string,
  ];
  return first < second ? -1 : Number(first > second);
}

/** The evaluations that were counted apart are among them. */
function anyStepLabel(steps: readonly number[]): string {
  return steps.every((step) => Number.isInteger(step)) ? "Any training step" : "Any step or evaluation";
}

/** Any step, or one of the types of the trial; then, by themselves, the steps that were not recorded because it was their turn. */
export function stepTypeOptions(bundle: Bundle, trial: Trial): Option[] {
  const { triggered } = trial.steps;
  const regular = trial.steps.type.filter((_, k) => triggered[k]! < 0);
  const types = [...new Set(regular)].map((position) => bundle.text(position)).sort(byName);
  const options = [{ value: ANY_TYPE, label: anyStepLabel(trial.steps.step) }, ...types.map((type) => ({ value: type, label: type }))];
  return regular.length === triggered.length
    ? options
    : [...options, { value: TRIGGERED, label: "Triggered steps (unusual, a biased sample)" }];
}

/** Positions of the trial's steps that can be selected under a type. Any step is every step; a single type has no triggered ones. */
export function stepsOfType(bundle: Bundle, trial: Trial, type: string): number[] {
  const { step, triggered } = trial.steps;
  const isOfType = (k: number): boolean => (triggered[k]! >= 0 ? type === TRIGGERED : bundle.typeOf(trial, k) === type);
  return [...step.keys()].filter((k) => type === ANY_TYPE || isOfType(k));
}

/** The same for whatever counts over steps: triggered steps, a biased sample, are left out unless there are no others. */
export function countedSteps(bundle: Bundle, trial: Trial, type: string): number[] {
  const steps = stepsOfType(bundle, trial, type);
  const regular = steps.filter((k) => trial.steps.triggered[k]! < 0);
  return regular.length === 0 ? steps : regular;
}

/** A type under which a step can be selected: the one wanted if possible. */
export function typeWithStep(bundle: Bundle, trial: Trial, step: number, wanted: string): string {
  const k = trial.steps.step.indexOf(step);
  return k < 0 || stepsOfType(bundle, trial, wanted).includes(k) ? wanted : ANY_TYPE;
}
