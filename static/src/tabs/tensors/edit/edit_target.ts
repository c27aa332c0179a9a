/** What of a tensor can be edited: inputs, as the forward pass got them, as far as their values are in the bundle. */

import { arrayDtype } from "../../../data/arrays/number_encoding";
import { BATCH_AGGREGATIONS } from "../../../data/records/record_offsets";
import { FORWARD, sampleAggregation } from "../../../state/selection/selection";
import { counted } from "../../../ui/text/format";
import type { PaneProps } from "../pane";
import type { ArrayPlan } from "./edited_values";

export interface EditTarget {
  /** Names the tensor among all that can be edited. */
  key: string;
  name: string;
  iteration: number;
  plan: ArrayPlan;
  /** The dtype in the recording, and in the array that is downloaded. */
  recorded: string;
  dtype: string;
  /** Places in the batch of the samples that are there; empty without a batch dimension. */
  samples: readonly number[];
  /** The place of the shown sample's first value among those of all recorded samples; null where no sample is shown. */
  first: number | null;
  /** The aggregation that shows the first sample. */
  firstSample: string;
  /** What an array of these values lacks, in sentences. */
  missing: readonly string[];
}

/** Null where there is nothing to edit. */
export function editTarget({ shown, open, record }: PaneProps, aggregation: number): EditTarget | null {
  const { tensors } = open.content.layout;
  const { tensor, hasBatch, kept, valueCount } = record;
  const places = kept ?? (hasBatch ? Array.from({ length: record.samples }, (_, place) => place) : [0]);
  const isInput = tensors.type[tensor] === "input" && shown.selection.recording === FORWARD && open.trial.rank !== null;
  if (!isInput || record.values < 0 || places.length === 0) {
    return null;
  }
  const place = hasBatch ? aggregation - BATCH_AGGREGATIONS.length : 0;
  const positionOf = (at: number): number => open.samples.index[at] ?? at;
  const plan = { shape: tensors.shape[tensor]!, batchDimension: tensors.batch_dimension[tensor] ?? null, places, perSample: valueCount };
  const [name, iteration, recorded] = [tensors.name[tensor]!, tensors.iteration[tensor]!, tensors.dtype[tensor]!];
  const { trial, rank, step } = shown.selection;
  return {
    key: JSON.stringify([trial, rank, step, iteration, name]),
    name,
    iteration,
    plan,
    recorded,
    dtype: arrayDtype(recorded),
    samples: hasBatch ? places.map(positionOf) : [],
    first: places.includes(place) ? place * valueCount : null,
    firstSample: sampleAggregation(positionOf(places[0]!)),
    missing: missingOf(plan, recorded, record.stored, tensors.shard[tensor] !== null),
  };
}

const ROUNDED: Readonly<Record<string, string>> = { F16: "float16", BF16: "bfloat16" };

function missingOf({ shape, batchDimension, places }: ArrayPlan, dtype: string, stored: string, isShard: boolean): string[] {
  const batch = batchDimension === null ? 1 : shape[batchDimension]!;
  const rounded = stored === dtype ? undefined : ROUNDED[stored];
  return [
    ...(places.length < batch
      ? [`The file holds ${places.length} of ${counted(batch, "sample")} of the batch: this page has no others.`]
      : []),
    ...(rounded === undefined ? [] : [`The values were rounded to ${rounded} for this page; the file holds the rounded values.`]),
    ...(dtype === "BF16" ? ["NumPy has no bfloat16: the file is float32, which holds the same numbers."] : []),
    ...(dtype.startsWith("F8_") ? ["NumPy has no 8-bit floats: the file is float32, which holds the same numbers."] : []),
    ...(isShard ? ["This process held a part of the tensor; the file holds that part."] : []),
  ];
}
