/** What is known of the numbers of a module's tensor on the step that is shown: a line for its values, and one for each of its gradients. */

import type { StepContent } from "../../data/bundle";
import { BATCH_AGGREGATIONS, type TensorRecord } from "../../data/records/record_offsets";
import type { Store } from "../../state/store";
import { brief, recordingLabel, share, sizeOf } from "../../ui/text/format";
import { Unbroken } from "../../ui/text/unbroken";
import type { Scene } from "./levels/scene";

/** Stands for what is not loaded yet. */
const NOT_YET = "\u2026";
const MEAN = BATCH_AGGREGATIONS.indexOf("batch_mean");
const LARGEST = BATCH_AGGREGATIONS.indexOf("batch_abs_max");
/**
 * The statistics that are shown, each under the aggregation over the batch that says most, and how they are called. The largest of all
 * samples has another name than the mean of the samples' largest, which the Tensors tab shows first.
 */
const SHOWN = [
  ["mean", MEAN, "mean"],
  ["std", MEAN, "std"],
  ["abs_max", LARGEST, "largest magnitude"],
  ["single_value", MEAN, "value"],
] as const;

export function TensorNumbers({ store, scene: { layout, material }, tensor }: { store: Store; scene: Scene; tensor: number }) {
  // Read so that this is rendered again when the numbers have been loaded.
  void store.version.value;
  const { content, trial } = material.open;
  const own = layout.groups.flatMap(({ name }) => {
    const record = content.table.byGroup.get(name)?.get(tensor);
    return record === undefined ? [] : [{ name, record }];
  });
  return own.length === 0 ? null : (
    <div
      class="tensor-numbers soft"
      title="mean and std: the means of all samples; largest magnitude: that of all values"
      data-testid="tensor-numbers"
    >
      {own.map(({ name, record }) => {
        const shape = layout.tensors.shape[tensor]!;
        const text = numbersInWords(content, record, trial.rank === null ? null : sizeOf(shape), sizeOf(shape) === shape[0]);
        if (text === null) {
          store.bundle.chunks.request([...content.numbers.overviewChunks(record, MEAN), ...largestChunks(content, record)]);
        }
        return (
          <div key={name}>
            <bdi>{recordingLabel(name)}</bdi>: <Unbroken text={text ?? NOT_YET} />
          </div>
        );
      })}
    </div>
  );
}

function largestChunks({ numbers }: StepContent, record: TensorRecord): number[] {
  const statistics = numbers.statistics(record, record.hasBatch ? LARGEST : MEAN);
  return statistics.chunks(0, statistics.length);
}

/**
 * `mean 0.25, std 1, largest magnitude 3; NaN 2 (50 %)`; null while not loaded. `size` is how many values there are, or null where that is not known.
 * If each sample is a single value, it has no deviation within it.
 */
export function numbersInWords({ numbers }: StepContent, record: TensorRecord, size: number | null, isOneEach = false): string | null {
  const facts = numbers.facts(record);
  const shown = SHOWN.filter(([item]) => item !== "std" || !(record.hasBatch && isOneEach));
  const statistics = shown.flatMap(([item, aggregation, name]) => {
    const place = record.items.indexOf(item);
    const value = place < 0 ? undefined : numbers.statistics(record, record.hasBatch ? aggregation : MEAN).at(place);
    return place < 0 ? [] : [{ name, value }];
  });
  if (facts === undefined || statistics.some(({ value }) => value === undefined)) {
    return null;
  }
  if (facts.gradientAbsent) {
    return "no gradient";
  }
  const counts = [
    ["NaN", Number(facts.nan)],
    ["infinite", Number(facts.positiveInfinity) + Number(facts.negativeInfinity)],
    ["zeros", Number(facts.zeros)],
  ] as const;
  const special = counts.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${share(count, size)}`);
  return [statistics.map(({ name, value }) => `${name} ${brief(Number(value))}`).join(", "), ...special].join("; ");
}
