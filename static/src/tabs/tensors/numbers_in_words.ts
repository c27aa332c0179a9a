/** Says what the numbers of a view are of, in the words of the selectors: `values, mean over the batch`. */

import { BATCH_AGGREGATIONS, NO_BATCH_AGGREGATION } from "../../data/records/record_offsets";
import type { OpenStep } from "../../state/selection/open_step";
import { aggregationLabel } from "../../state/selection/options";
import { FORWARD, type Selection } from "../../state/selection/selection";
import type { Store } from "../../state/store";
import type { PaneProps } from "./pane";

export function numbersInWords(store: Store, recording: string, aggregation: Selection["aggregation"], open: OpenStep | null): string {
  const what = recording === FORWARD ? "values" : recording;
  if (aggregation === NO_BATCH_AGGREGATION) {
    return what;
  }
  const label = open === null ? "" : aggregationLabel(aggregation, open.samples, (place) => store.bundle.text(place));
  return `${what}, ${label.toLowerCase()}`;
}

const OF_SAMPLES = ["mean of samples", "largest of samples", "std of samples"];

/** How the statistics of samples became one number. Nothing without a batch, for a single sample, and where B differs from A in this. */
export function ofSamples({ record, shown }: PaneProps, isSameInB: boolean): string {
  const place = (BATCH_AGGREGATIONS as readonly string[]).indexOf(shown.selection.aggregation);
  return (record.hasBatch && isSameInB && OF_SAMPLES[place]) || "";
}
