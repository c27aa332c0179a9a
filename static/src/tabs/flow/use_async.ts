/** Something that is worked out of what has to be loaded. What was there before stays in sight until it is there. */

import { useLayoutEffect, useState } from "preact/hooks";
import { messageOf } from "../../data/format/errors";
import type { Store } from "../../state/store";

interface AsyncValue<T> {
  /** Undefined until the first one is there. */
  value: T | undefined;
  error: Error | undefined;
  /** Whether it is not yet that of what is asked for now. */
  isOld: boolean;
}

/** Finds something again whenever one of `inputs` changes, and after a person has asked to try again. */
export function useAsync<T>(store: Store, find: () => Promise<T>, inputs: readonly unknown[]): AsyncValue<T> {
  void store.version.value;
  const { hasFailed } = store.bundle.chunks;
  const [state, setState] = useState<AsyncValue<T>>({ value: undefined, error: undefined, isOld: true });
  useLayoutEffect(() => {
    let isWanted = true;
    setState((before) => ({ ...before, isOld: true }));
    find().then(
      (value) => isWanted && setState({ value, error: undefined, isOld: false }),
      (error: unknown) =>
        isWanted &&
        setState((before) => ({ ...before, error: error instanceof Error ? error : new Error(messageOf(error)), isOld: false })),
    );
    return () => {
      isWanted = false;
    };
  }, [...inputs, hasFailed]);
  return state;
}
