/** Reads of newer data what panels have read of the data in whose place it comes, so that they show it at once. */

import type { Bundle } from "../../data/bundle";
import type { Trial } from "../../data/format/types";
import type { HistogramRecord } from "../../data/records/histograms";
import type { HistogramsOfTrial } from "../../data/records/trial_histograms";
import type { Placed } from "../selection/step_choice";

/** Of half a megabyte each: of long recordings, more would not fit beside one another. */
const MOST_CHUNKS = 64;

/** Whether that is here, or is known not to come; asks for what is missing. `shown` is the trial of the older data. */
export function isReadAhead(older: Bundle, shown: Trial | undefined, newer: Bundle, placed: Placed): boolean {
  const trial = newer.index.trials[placed.trial];
  const read = shown === undefined ? [] : (older.histogramsRead(shown)?.readRecords() ?? []);
  if (trial === undefined || read.length === 0) {
    return true;
  }
  const calls = newer
    .callSet(trial, placed.step)
    .filter((number) => number >= 0)
    .map((number) => newer.calls(number));
  const [histograms, network, facts] = [newer.histograms(trial), newer.network(trial), newer.facts(trial, placed.step)];
  if (histograms.state === "loading") {
    // Most of them lie before the last directory, as before: there is no need to wait for it.
    newer.chunks.request(chunksOf(read).filter((id) => id < (trial.histograms.at(-1) ?? 0)));
  }
  if ([histograms, network, facts, ...calls].some(({ state }) => state === "loading")) {
    return false;
  }
  const wanted = histograms.state === "ready" && histograms.value !== null ? chunksOf(sameIn(histograms.value, read)) : [];
  newer.chunks.request(wanted);
  return wanted.every((id) => newer.chunks.peek(id) !== undefined || newer.chunks.failure(id) !== undefined);
}

function sameIn(histograms: HistogramsOfTrial, records: readonly HistogramRecord[]): HistogramRecord[] {
  return records.flatMap(({ name, iteration, group, type }) =>
    histograms.records(name, iteration).filter((record) => record.group === group && record.type === type),
  );
}

function chunksOf(records: readonly HistogramRecord[]): number[] {
  return [...new Set(records.flatMap(({ chunks }) => chunks))].slice(0, MOST_CHUNKS);
}
