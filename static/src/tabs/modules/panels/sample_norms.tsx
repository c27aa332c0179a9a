/** The Euclidean norm of each recorded sample of a tensor, on the step that is shown. */

import type { StepContent } from "../../../data/bundle";
import type { Trial } from "../../../data/format/types";
import type { HistogramRecord } from "../../../data/records/histograms";
import { BATCH_AGGREGATIONS, type TensorRecord } from "../../../data/records/record_offsets";
import type { Store } from "../../../state/store";
import { brief } from "../../../ui/text/format";

const FIRST_SAMPLE = BATCH_AGGREGATIONS.length;

interface Props {
  store: Store;
  trial: Trial;
  record: HistogramRecord;
  step: number;
}

export function SampleNorms({ store: { bundle }, trial, record: { name, iteration, group, type }, step }: Props) {
  const position = trial.steps.step.indexOf(step);
  const content = position < 0 || bundle.typeOf(trial, position) !== type ? null : bundle.step(trial, position);
  if (content?.state !== "ready") {
    return null;
  }
  const { layout, table, numbers } = content.value;
  const tensor = layout.tensors.name.findIndex((other, k) => other === name && layout.tensors.iteration[k] === iteration);
  const record = table.byGroup.get(group)?.get(tensor);
  if (record === undefined || !record.hasBatch || record.samples === 0) {
    return null;
  }
  const norms = sampleNorms(content.value, record);
  if (norms === null) {
    const needed = Array.from({ length: record.samples }, (_, k) => numbers.overviewChunks(record, FIRST_SAMPLE + k));
    bundle.chunks.request([...new Set(needed.flat())]);
  }
  const { index } = bundle.index.sample_sets[trial.steps.sample_set[position] ?? -1] ?? { index: [] };
  const isAbsent = norms !== null && numbers.facts(record)?.gradientAbsent === true;
  return (
    <ul class="panel-norms soft" aria-label="Norms of the samples" data-testid="panel-norms">
      {isAbsent ? <li>no gradient</li> : norms?.map((norm, k) => <li key={k}>{`sample ${index[k] ?? k}: ${brief(norm)}`}</li>)}
    </ul>
  );
}

/** From the mean and the deviation of the `N` values of each sample: `N mean^2 + (N - 1) std^2` is the sum of their squares. Null until loaded. */
export function sampleNorms({ numbers }: StepContent, record: TensorRecord): number[] | null {
  const { items, samples, valueCount } = record;
  const [mean, std] = [items.indexOf("mean"), items.indexOf("std")];
  const norms = Array.from({ length: samples }, (_, k) => {
    const statistics = numbers.statistics(record, FIRST_SAMPLE + k);
    const [center, deviation] = [statistics.at(mean), statistics.at(std)];
    return center === undefined || deviation === undefined
      ? undefined
      : Math.sqrt(valueCount * Number(center) ** 2 + (valueCount - 1) * Number(deviation) ** 2);
  });
  return norms.every((norm) => norm !== undefined) ? norms : null;
}
