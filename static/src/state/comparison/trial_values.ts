/** One statistic of the selected tensor in every trial, at the step that is shown or the nearest one. */

import type { Value } from "../../data/arrays/numbers";
import type { Bundle } from "../../data/bundle";
import type { Layout, Trial } from "../../data/format/types";
import { aggregationsOf } from "../selection/offers";
import { rankOf } from "../selection/options";
import { ANY_TYPE, type Selection } from "../selection/selection";
import { place } from "../selection/step_choice";

export interface TrialValue {
  trial: Trial;
  /** The recorded step that is nearest to the one that is shown; null if the trial has none. */
  step: number | null;
  /** Null if the trial lacks the tensor or the statistic, undefined while it is not loaded. */
  value: Value | null | undefined;
}

/** What is read of every trial. */
export interface Wanted {
  selection: Selection;
  /** The tensor as the layout names it. */
  name: string;
  iteration: number;
  item: string;
}

/** The trials that are listed: one entry for all ranks of a trial, that of the rank that is shown if it has it. */
export function listedTrials(bundle: Bundle, rank: string): Trial[] {
  const byName = new Map<string, Trial>();
  for (const trial of bundle.index.trials) {
    if (!byName.has(trial.name) || rankOf(bundle, trial) === rank) {
      byName.set(trial.name, trial);
    }
  }
  return [...byName.values()];
}

/** The values, and the chunks that hold those that are not loaded. */
export function readTrialValues(bundle: Bundle, trials: readonly Trial[], wanted: Wanted): { values: TrialValue[]; missing: number[] } {
  const tensorIn = new Map<Layout, number>();
  const missing: number[] = [];
  const values = trials.map((trial): TrialValue => {
    const { selection, name, iteration, item } = wanted;
    const { step: k } = place(bundle, { ...selection, trial: trial.name, rank: rankOf(bundle, trial), stepType: ANY_TYPE });
    const step = trial.steps.step[k] ?? null;
    const content = step === null ? null : bundle.step(trial, k);
    if (content?.state !== "ready") {
      return { trial, step, value: content?.state === "loading" ? undefined : null };
    }
    const { layout, table, numbers } = content.value;
    const { tensors } = layout;
    if (!tensorIn.has(layout)) {
      tensorIn.set(
        layout,
        tensors.name.findIndex((other, row) => other === name && tensors.iteration[row] === iteration),
      );
    }
    const record = table.byGroup.get(selection.recording)?.get(tensorIn.get(layout)!);
    const samples = bundle.index.sample_sets[trial.steps.sample_set[k] ?? -1] ?? { index: [], label: [] };
    const aggregation = aggregationsOf(record, samples).indexOf(selection.aggregation);
    const row = record?.items.indexOf(item) ?? -1;
    if (record === undefined || aggregation < 0 || row < 0) {
      return { trial, step, value: null };
    }
    const statistics = numbers.statistics(record, aggregation);
    const value = statistics.at(row);
    if (value === undefined) {
      missing.push(...statistics.chunks(0, statistics.length));
    }
    return { trial, step, value };
  });
  return { values, missing };
}

export const TRIAL_ORDERS = ["trial", "step", "value"] as const;
export type TrialOrder = (typeof TRIAL_ORDERS)[number];

/** Ascending or descending; NaN and what has no number come last either way. */
export function sortedTrialValues(values: readonly TrialValue[], order: TrialOrder, isDescending: boolean): TrialValue[] {
  const rank = ({ step, value }: TrialValue): number | null => {
    const number = order === "step" ? step : Number(value ?? NaN);
    return number === null || Number.isNaN(number) ? null : number;
  };
  const sign = isDescending ? -1 : 1;
  const sorted = values.map((each, k) => ({ each, k, number: order === "trial" ? k : rank(each) }));
  sorted.sort((x, y) =>
    x.number === null || y.number === null
      ? Number(x.number === null) - Number(y.number === null) || x.k - y.k
      : sign * (x.number < y.number ? -1 : Number(x.number > y.number)) || x.k - y.k,
  );
  return sorted.map(({ each }) => each);
}
