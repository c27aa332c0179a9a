/** Values gathered for a view, which is rendered again as they arrive. */

import { useMemo } from "preact/hooks";
import { GatheredValues } from "../../data/arrays/gathered_values";
import type { Store } from "../../state/store";
import type { PaneProps } from "./pane";

export interface Gathering {
  values: GatheredValues;
  /** Why some of them cannot be loaded. */
  error: Error | undefined;
  /** Changes when values have arrived. */
  state: string;
}

/** Gathers the values from `start` to `end` of an aggregation while they are `wanted`; null if memory cannot hold them. */
export function useGathered(
  { store, open, record }: PaneProps,
  aggregation: number,
  start: number,
  end: number,
  wanted = true,
): Gathering | null {
  // Read so that this is rendered again when more has been loaded.
  void store.version.value;
  const values = useMemo(
    () => (wanted ? gatheredOrNull(() => new GatheredValues(open.content.numbers.neurons(record, aggregation), start, end)) : null),
    [open.content, record, aggregation, start, end, wanted],
  );
  return values === null ? null : gatherNow(store, values);
}

function gatheredOrNull(make: () => GatheredValues): GatheredValues | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) {
      return null;
    }
    throw error;
  }
}

/** Takes what is there, and asks for what is missing. */
function gatherNow(store: Store, values: GatheredValues): Gathering {
  const { chunks } = store.bundle;
  values.gather();
  const missing = values.missingChunks;
  chunks.request(missing);
  const error = chunks.failureOf(missing);
  return { values, error, state: `${values.progress.loaded}` };
}

/** Gathers all values of some numbers, for a person who waits. */
export async function gatherAll(store: Store, values: GatheredValues): Promise<void> {
  for (;;) {
    const { error } = gatherNow(store, values);
    if (values.complete) {
      return;
    }
    if (error !== undefined) {
      throw error;
    }
    await nextVersion(store);
  }
}

/** Resolves when a chunk has arrived or failed. */
function nextVersion(store: Store): Promise<void> {
  return new Promise((resolve) => {
    const before = store.version.peek();
    const stop = store.version.subscribe((version) => {
      if (version !== before) {
        queueMicrotask(() => stop());
        resolve();
      }
    });
  });
}
