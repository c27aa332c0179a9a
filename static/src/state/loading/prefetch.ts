/** Loads ahead what one step to either side and a print-out need, when what is shown is there and nothing else is being loaded. */

import { effect } from "@preact/signals";
import type { StepContent } from "../../data/bundle";
import type { TensorRecord } from "../../data/records/record_offsets";
import { afterFrame } from "../after_frame";
import { stepsOfType } from "../selection/options";
import type { Shown, Store } from "../store";

const FIRST_VALUES = 100;

/**
 * Reads ahead whenever a step is shown with its own numbers; not where data is missing, which is reported once.
 *
 * `later` puts it off until the frame with what is shown has been painted.
 */
export function startPrefetch(store: Store, later: (act: () => void) => unknown = afterFrame): void {
  let isPlanned = false;
  effect(() => {
    void store.arrived.value;
    if (!isPlanned && isComplete(store)) {
      isPlanned = true;
      later(() => {
        isPlanned = false;
        readAhead(store);
      });
    }
  });
}

/** Whether everything that is shown has been loaded, and nothing else is on its way. */
function isComplete(store: Store): boolean {
  const { chunks } = store.bundle;
  const shown = store.shown.value;
  return (
    shown?.open != null &&
    store.pending.value === null &&
    chunks.outstanding === 0 &&
    !chunks.hasFailed &&
    ownChunks(store, shown).every((id) => chunks.peek(id) !== undefined)
  );
}

function ownChunks(store: Store, shown: Shown): number[] {
  const record = store.record.value;
  return shown.open === null || record === undefined ? [] : firstChunks(shown.open.content, record, aggregationOf(store, shown));
}

function readAhead(store: Store): void {
  const shown = store.shown.value;
  if (shown !== null && isComplete(store)) {
    store.bundle.chunks.readAhead(() => {
      neighboursOf(store, shown).forEach((step) => prefetch(store, shown, step));
      prefetchForPaper(store, shown);
    });
  }
}

function neighboursOf(store: Store, shown: Shown): number[] {
  const trial = shown.open?.trial;
  const steps = trial === undefined ? [] : stepsOfType(store.bundle, trial, shown.selection.stepType);
  const place = steps.indexOf(shown.step);
  return [steps[place + 1], steps[place - 1]].filter((step) => step !== undefined);
}

/** A browser that prints by itself waits for nothing. */
function prefetchForPaper({ bundle }: Store, { open }: Shown): void {
  if (open !== null) {
    bundle.notes(open.trial);
    bundle.curves(open.trial);
  }
}

/** Asks for the description of a step and, once that is there, for the numbers of the same tensor. */
function prefetch(store: Store, shown: Shown, step: number): void {
  const open = shown.open;
  const offer = store.offer.value;
  if (open === null || offer === undefined) {
    return;
  }
  store.bundle.graphs(open.trial, step);
  const content = store.bundle.step(open.trial, step);
  if (content.state !== "ready") {
    return;
  }
  const { tensors } = content.value.layout;
  const wanted = open.content.layout.tensors;
  const tensor = tensors.name.findIndex(
    (name, k) => name === wanted.name[offer.tensor] && tensors.iteration[k] === wanted.iteration[offer.tensor],
  );
  const record = content.value.table.byGroup.get(shown.selection.recording)?.get(tensor);
  if (record !== undefined) {
    store.bundle.chunks.request(firstChunks(content.value, record, aggregationOf(store, shown)));
  }
}

function aggregationOf(store: Store, shown: Shown): number {
  return store.offer.value?.aggregations.indexOf(shown.selection.aggregation) ?? -1;
}

/** The chunks with the statistics and the first values of a record under an aggregation, where it has that. */
function firstChunks({ numbers }: StepContent, record: TensorRecord, aggregation: number): number[] {
  if (aggregation < 0 || aggregation >= record.aggregationCount) {
    return [];
  }
  const neurons = numbers.neurons(record, aggregation);
  return [...numbers.overviewChunks(record, aggregation), ...neurons.chunks(0, Math.min(FIRST_VALUES, neurons.length))];
}
