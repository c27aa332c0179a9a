/** Waits for data that rendering does not follow by itself. */

import { effect } from "@preact/signals";
import type { Numbers } from "../../data/arrays/lanes";
import type { Loaded } from "../../data/bundle";
import type { Store } from "../../state/store";

/** All of some numbers, as soon as they are here. */
export async function allNumbers(store: Store, numbers: Numbers): Promise<Float64Array> {
  await allChunks(store, numbers.chunks(0, numbers.length));
  return Float64Array.from({ length: numbers.length }, (_, k) => Number(numbers.at(k)));
}

/** Waits for some chunks. */
export function allChunks(store: Store, needed: readonly number[]): Promise<null> {
  const { chunks } = store.bundle;
  return loaded(store, (): Loaded<null> => {
    const error = chunks.failureOf(needed);
    if (error !== undefined) {
      return { state: "failed", error };
    }
    if (needed.some((id) => chunks.peek(id) === undefined)) {
      chunks.request(needed);
      return { state: "loading" };
    }
    return { state: "ready", value: null };
  });
}

/** Waits until something is here, or is known not to come. */
export function loaded<T>(store: Store, read: () => Loaded<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isDone = false;
    const stop = effect(() => {
      void store.version.value;
      if (isDone) {
        return;
      }
      const loaded = read();
      if (loaded.state !== "loading") {
        isDone = true;
        queueMicrotask(() => stop());
        loaded.state === "ready" ? resolve(loaded.value) : reject(loaded.error);
      }
    });
  });
}
