/** Loads ahead what one step to either side needs, when nothing else is being loaded. */

import { effect } from "@preact/signals";
import { stepsOfType } from "./options";
import type { Shown, Store } from "./store";

const FIRST_VALUES = 100;

/** Reads ahead whenever a step has been shown and its own data is there; not where data is missing, which is reported once. */
export function startPrefetch(store: Store): void {
  effect(() => {
    void store.version.value;
    const shown = store.shown.value;
    const { chunks } = store.bundle;
    if (shown?.open && store.pending.value === null && chunks.outstanding === 0 && !chunks.hasFailed) {
      for (const step of neighboursOf(store, shown)) {
        prefetch(store, shown, step);
      }
    }
  });
}

function neighboursOf(store: Store, shown: Shown): number[] {
  const trial = shown.open?.trial;
  const steps = trial === undefined ? [] : stepsOfType(store.bundle, trial, shown.selection.stepType);
  const place = steps.indexOf(shown.step);
  return [steps[place + 1], steps[place - 1]].filter((step) => step !== undefined);
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
  const tensor = tensors.name.findIndex((name, k) => name === wanted.name[offer.tensor] && tensors.iteration[k] === wanted.iteration[offer.tensor]);
  const record = content.value.table.byGroup.get(shown.selection.recording)?.get(tensor);
  const aggregation = offer.aggregations.indexOf(shown.selection.aggregation);
  if (record !== undefined && aggregation >= 0 && aggregation < record.aggregationCount) {
    const neurons = content.value.numbers.neurons(record, aggregation);
    store.bundle.chunks.request([...content.value.numbers.overviewChunks(record, aggregation), ...neurons.chunks(0, Math.min(FIRST_VALUES, neurons.length))]);
  }
}
