/** What a drawing can ask for: read-only, by name, and loaded as it is needed. Documented in `docs/visualization.md`. */

import { stepInWords } from "../../data/format/steps";
import type { Curve } from "../../data/format/types";
import type { TensorRecord } from "../../data/records/record_offsets";
import type { StepDescription, TensorDescription, Wanted } from "../../frame/messages";
import { aggregationsOf } from "../../state/selection/offers";
import type { OpenStep } from "../../state/selection/open_step";
import type { Selection } from "../../state/selection/selection";
import type { Shown, Store } from "../../state/store";
import { allNumbers, loaded } from "../../ui/scheduling/until_loaded";
import { capital } from "../../ui/text/format";

export interface VisualizationSelection extends Selection {
  /** Name of the selected tensor; empty where there is none. */
  tensor: string;
}

export interface VisualizationData {
  /** The recorded steps of the trial that is shown. */
  steps(): StepDescription[];
  iterations(): number;
  tensors(): TensorDescription[];
  /** The statistics of a tensor of the step that is shown, by name: `mean`, `abs_mean`, `std`, `abs_max`, ... */
  statistics(tensor: string, wanted?: Wanted): Promise<Record<string, number>>;
  /** Its values, flat, without the batch dimension; empty where only statistics were recorded. */
  values(tensor: string, wanted?: Wanted): Promise<Float64Array>;
  curves(): Promise<readonly Curve[]>;
}

export function selectionOf(store: Store, shown: Shown): VisualizationSelection {
  return { ...shown.selection, tensor: store.offer.value?.name ?? "" };
}

/** Throws where a tensor is not there, and says which are. */
export function dataOf(store: Store, shown: Shown, open: OpenStep): VisualizationData {
  const { selection } = shown;
  const { layout, numbers, table } = open.content;
  const { tensors } = layout;
  const { steps } = open.trial;

  const find = (name: string, wanted: Wanted): { record: TensorRecord; aggregation: number } => {
    const iteration = wanted.iteration ?? selection.iteration;
    const recording = wanted.recording ?? selection.recording;
    const places = tensors.name.map((_, k) => k).filter((k) => tensors.name[k] === name);
    const place = places.find((k) => tensors.iteration[k] === iteration) ?? places.find((k) => tensors.iteration[k] === -1);
    const record = place === undefined ? undefined : table.byGroup.get(recording)?.get(place);
    if (record === undefined) {
      const known = [...new Set(tensors.name)].join(", ");
      throw new Error(
        `${capital(stepInWords(selection.step))} has no tensor \u201c${name}\u201d in iteration ${iteration} of \u201c${recording}\u201d. It has: ${known}.`,
      );
    }
    const aggregations = aggregationsOf(record, open.samples);
    const aggregation = record.hasBatch ? aggregations.indexOf(wanted.aggregation ?? selection.aggregation) : 0;
    if (aggregation < 0) {
      throw new Error(
        `\u201c${name}\u201d has no \u201c${wanted.aggregation ?? selection.aggregation}\u201d. It has: ${aggregations.join(", ")}.`,
      );
    }
    return { record, aggregation };
  };

  return {
    steps: () => steps.step.map((step, k) => ({ step, type: store.bundle.typeOf(open.trial, k), batchSize: steps.batch_size[k] ?? 0 })),
    iterations: () => open.offers.iterations,
    tensors: () =>
      tensors.name.map((name, k) => ({
        name,
        iteration: tensors.iteration[k]!,
        node: tensors.node[k]!,
        role: tensors.role[k]!,
        type: tensors.type[k]!,
        shape: [...tensors.shape[k]!],
        batchDimension: tensors.batch_dimension[k] ?? null,
        dtype: tensors.dtype[k]!,
      })),
    statistics: async (name, wanted = {}) => {
      const { record, aggregation } = find(name, wanted);
      const array = await allNumbers(store, numbers.statistics(record, aggregation));
      return Object.fromEntries(record.items.map((item, k) => [item, array[k]!]));
    },
    values: async (name, wanted = {}) => {
      const { record, aggregation } = find(name, wanted);
      return allNumbers(store, numbers.neurons(record, aggregation));
    },
    curves: () => loaded(store, () => store.bundle.curves(open.trial)),
  };
}
