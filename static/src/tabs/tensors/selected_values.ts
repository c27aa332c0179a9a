/** The values that are selected, and what they are of. */

import type { Numbers } from "../../data/arrays/lanes";
import { BATCH_AGGREGATIONS } from "../../data/records/record_offsets";
import { namesOfAxes } from "../../kits/heatmap/axis_names";
import { type Axis, axesOf } from "../../kits/heatmap/board";
import type { PaneProps } from "./pane";

export interface ShownValues {
  numbers: Numbers;
  /** Number of the aggregation. */
  aggregation: number;
  /** Whether they are taken over the batch, and are none that were in the tensor. */
  isAggregate: boolean;
  /** The axes without that of the batch, and their sizes. */
  axes: readonly Axis[];
  shape: readonly number[];
  /** Of the values that are shown: means over a batch of whole numbers are no whole numbers. */
  dtype: string;
  /** Whether they were recorded, and are not in this bundle. */
  isLeftOut: boolean;
  /** Why there are none, or null. */
  absent: string | null;
  /** What records them, where they were not recorded; else empty. */
  remedy: string;
}

export function shownValues({ store, shown, open, record }: PaneProps): ShownValues {
  const { tensors } = open.content.layout;
  const { iteration, node, role } = shown.selection;
  const offer = open.offers.of(iteration, node).find((candidate) => candidate.role === role);
  const aggregation = Math.max(0, offer?.aggregations.indexOf(shown.selection.aggregation) ?? 0);
  const numbers = open.content.numbers.neurons(record, aggregation);
  const axes = axesOf(
    tensors.shape[record.tensor] ?? [],
    tensors.batch_dimension[record.tensor] ?? null,
    namesOfAxes(store.bundle, open, record),
  );
  const isAggregate = record.hasBatch && aggregation < BATCH_AGGREGATIONS.length;
  const isLeftOut = tensors.kind[record.tensor] === "neuron" && open.content.numbers.isLeftOut(record, aggregation);
  const isNotRecorded =
    tensors.kind[record.tensor] !== "neuron" &&
    tensors.kind[record.tensor] !== "single_value" &&
    open.trial.rank !== null &&
    record.valueCount > 0;
  return {
    numbers,
    aggregation,
    isAggregate,
    axes,
    shape: axes.map((axis) => axis.size),
    dtype: isAggregate ? (record.aggregatesDtype ?? record.precision) : (tensors.dtype[record.tensor] ?? record.precision),
    isLeftOut,
    absent:
      record.valueCount === 0
        ? "The tensor is empty"
        : numbers.length === 0
          ? whyAbsent(isLeftOut, tensors.kind[record.tensor], open.trial.rank !== null)
          : null,
    remedy: !isNotRecorded
      ? ""
      : tensors.type[record.tensor] === "parameter"
        ? "recorder.register_tensor(name, parameter.detach(), index_of_batch_dimension=None) records them."
        : "recorder.register_tensor records them by default, and watch with values=True.",
  };
}

/** Why there are statistics alone. */
function whyAbsent(isLeftOut: boolean, kind: string | undefined, isOfRank: boolean): string {
  if (isLeftOut) {
    return "Its values were left out of this bundle";
  }
  if (kind === "single_value") {
    return "It is a single value";
  }
  return isOfRank ? "Its values were not recorded, only statistics" : "Recorded values are shown per rank";
}
