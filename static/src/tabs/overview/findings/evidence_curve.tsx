/** A statistic of a tensor over the steps, small, with a step marked. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { allOf } from "../../../data/arrays/lanes";
import type { FoundEvidence } from "../../../data/format/findings";
import { stepInWords } from "../../../data/format/steps";
import type { Trial } from "../../../data/format/types";
import { FLAG_GRADIENT_ABSENT } from "../../../data/records/record_offsets";
import { Sparkline } from "../../../kits/charts/sparkline";
import { FORWARD } from "../../../state/selection/selection";
import type { Store } from "../../../state/store";

/** The column of the counts that says whether a gradient was absent. */
const FLAGS = 4;

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
  const flags = record?.group === FORWARD ? undefined : record?.count(FLAGS);
  const [values, flagged] = [numbers && allOf(numbers), flags && allOf(flags)];
  const isLoaded = values !== undefined && (flags === undefined || flagged !== undefined);
  useEffect(() => {
    if (numbers !== undefined && !isLoaded) {
      store.bundle.chunks.request([numbers, flags].flatMap((row) => row?.chunks(0, row.length) ?? []));
    }
  }, [evidence, isLoaded, numbers === undefined]);
  if (record === undefined || values === undefined || !isLoaded) {
    return series.state === "ready" && place < 0 ? instead : null;
  }
  const label = `${aggregation === 1 ? "largest magnitude" : item} of ${evidence.name} at ${record.steps.length} steps, with ${stepInWords(evidence.step)} marked`;
  // A gradient that was absent is no number that is not finite.
  const places = record.steps.flatMap((_, k) => (Number(flagged?.[k] ?? 0) & FLAG_GRADIENT_ABSENT ? [] : [k]));
  return (
    <Sparkline steps={places.map((k) => record.steps[k]!)} values={places.map((k) => values[k]!)} marked={evidence.step} label={label} />
  );
}
