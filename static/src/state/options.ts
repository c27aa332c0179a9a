/** What each selector offers: what can be reached by changing it alone. */

import { BATCH_AGGREGATIONS, NO_BATCH_AGGREGATION } from "../data/records";
import type { Bundle } from "../data/bundle";
import type { SampleSet, Trial } from "../data/types";
import { agrees, type StepOffers } from "./offers";
import type { StepSelection } from "./resolve";
import { ANY_TYPE, sampleAggregation } from "./selection";

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
  const shown = offers.of(selection.iteration);
  return offers.recordings.map((recording) => ({
    value: recording,
    label: recording,
    disabled: !shown.some((offer) => offer.node === selection.node && offer.role === selection.role && offer.recordings.includes(recording)),
  }));
}

/** The roles of the node that have numbers; going to one with other samples lets the sample give way. */
export function roleOptions(offers: StepOffers, selection: StepSelection): Option[] {
  const { recording, node } = selection;
  const roles = offers.of(selection.iteration).filter((offer) => agrees(offer, { recording, node }));
  return [...new Set(roles.map((offer) => offer.role))].map((role) => ({ value: role, label: role }));
}

export function aggregationOptions(offers: StepOffers, selection: StepSelection, labelOf: (aggregation: string) => string): Option[] {
  const { recording, node, role } = selection;
  const offer = offers.of(selection.iteration).find((candidate) => agrees(candidate, { recording, node, role }));
  return (offer?.aggregations ?? []).map((aggregation) => ({ value: aggregation, label: labelOf(aggregation) }));
}

/** How an aggregation is called, given the samples of the step. */
export function aggregationLabel(aggregation: string, samples: SampleSet, text: (position: number) => string): string {
  const place = samples.index.findIndex((index) => sampleAggregation(index) === aggregation);
  return AGGREGATION_LABELS.get(aggregation) ?? text(samples.label[place] ?? -1);
}

export function trialOptions(bundle: Bundle): Option[] {
  return bundle.index.trials.map((trial) => ({ value: trial.name, label: trial.name }));
}

const BY_NAME = new Intl.Collator("en", { numeric: true });

/** Any step, or one of the types of the trial. */
export function stepTypeOptions(bundle: Bundle, trial: Trial): Option[] {
  const types = [...new Set(trial.steps.type)].map((position) => bundle.text(position)).sort(BY_NAME.compare);
  return [{ value: ANY_TYPE, label: "Any training step" }, ...types.map((type) => ({ value: type, label: type }))];
}

/** Positions of the trial's steps of a type. */
export function stepsOfType(bundle: Bundle, trial: Trial, type: string): number[] {
  const all = trial.steps.step.map((_, k) => k);
  return type === ANY_TYPE ? all : all.filter((k) => bundle.typeOf(trial, k) === type);
}
