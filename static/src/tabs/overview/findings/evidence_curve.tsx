/** A statistic of a tensor over the steps, small, with a step marked. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { allOf } from "../../../data/arrays/lanes";
import type { FoundEvidence } from "../../../data/format/findings";
import { stepInWords } from "../../../data/format/steps";
import type { Trial } from "../../../data/format/types";
import { Sparkline } from "../../../kits/charts/sparkline";
import type { Store } from "../../../state/store";

interface Props {
  store: Store;
  trial: Trial;
  evidence: FoundEvidence;
  item: string;
  /** What is shown where nothing is known of the tensor over the steps. */
  instead: JSX.Element;
}

export function EvidenceCurve({ store, trial, evidence, item, instead }: Props) {
  // Read so that this is rendered again when the numbers have been loaded.
  void store.version.value;
  const series = store.bundle.series(trial);
  const records = series.state === "ready" ? (series.value?.records(evidence.name, evidence.iteration) ?? []) : [];
  const record = records.find(({ group }) => group === evidence.group);
  const place = record === undefined ? -1 : record.items.indexOf(record.items.includes("single_value") ? "single_value" : item);
  // The largest magnitude is the largest over the batch; all else is the mean.
  const aggregation = record?.aggregations === 1 || item !== "abs_max" ? 0 : 1;
  const numbers = place < 0 ? undefined : record?.statistic(place, aggregation);
  const values = numbers && allOf(numbers);
  useEffect(() => {
    if (numbers !== undefined && values === undefined) {
      store.bundle.chunks.request([...numbers.chunks(0, numbers.length)]);
    }
  }, [evidence, values === undefined, numbers === undefined]);
  if (record === undefined || values === undefined) {
    return series.state === "ready" && place < 0 ? instead : null;
  }
  const label = `${aggregation === 1 ? "largest magnitude" : item} of ${evidence.name} at ${record.steps.length} steps, with ${stepInWords(evidence.step)} marked`;
  return <Sparkline steps={record.steps} values={values} marked={evidence.step} label={label} />;
}
