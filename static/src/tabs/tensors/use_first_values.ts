/** Says when the first values are on the screen, so that what takes longer does not keep them from it. */

import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { afterFrame } from "../../state/after_frame";
import type { Store } from "../../state/store";

/** What is waiting begins after this in any case: values may be long in coming, as from the end of a large file. */
const LONGEST_WAIT_MILLISECONDS = 500;

export function useFirstValues(store: Store): boolean {
  const [arrived, setArrived] = useState(false);
  useEffect(() => {
    const arrive = (): void => setArrived(true);
    const timer = setTimeout(arrive, LONGEST_WAIT_MILLISECONDS);
    const stop = effect(() => {
      if (hasValues(store) || store.bundle.chunks.hasFailed) {
        afterFrame(arrive);
      }
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [store]);
  return arrived;
}

/** Whether the statistics of what is shown are there, or there is nothing that could have any. */
export function hasValues(store: Store): boolean {
  void store.version.value;
  const open = store.shown.value?.open;
  const record = store.record.value;
  return open !== undefined && (open === null || record === undefined || open.content.numbers.statistics(record, 0).at(0) !== undefined);
}
