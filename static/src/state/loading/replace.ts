/** Puts other data in the place of what is shown. */

import { Bundle } from "../../data/bundle";
import type { Index } from "../../data/format/types";
import { openStep } from "../selection/open_step";
import { place } from "../selection/step_choice";
import type { Store } from "../store";
import { isReadAhead } from "./read_ahead";

/** Data that has been opened: its index, which has been checked, and a way to the base64 of its chunks. */
export interface OpenedData {
  index: Index;
  read: (id: number) => Promise<string>;
}

/** The data that each store is waiting for: only the last is taken. */
const awaited = new WeakMap<Store, Bundle>();

/**
 * Puts data in the place of what is shown; `files` are those that a person opened in the page, and none where newer data of the page
 * itself has come.
 *
 * Loads the step that will be shown and what panels show, then takes the data all at once. Rejects where that step cannot be read, and
 * leaves everything as it was. The scripts that draw are those of the page.
 */
export function replaceData(store: Store, { index, read }: OpenedData, files: readonly string[] = []): Promise<void> {
  return new Promise((resolve, reject) => {
    let isTaken = false;
    const bundle = new Bundle({ ...index, visualizations: store.bundle.index.visualizations }, read, (isAwaited) =>
      isTaken ? store.chunksChanged(isAwaited) : tryToTake(),
    );
    // Files are not trusted with what the page shows of its own.
    if (files.length === 0 && store.files.peek().length === 0) {
      bundle.inherit(store.bundle);
    }
    const tryToTake = (): void => {
      if (awaited.get(store) !== bundle) {
        resolve();
        return;
      }
      const placed = place(bundle, store.selection.peek());
      const trial = index.trials[placed.trial];
      const opened = trial === undefined || placed.step < 0 ? null : openStep(bundle, trial, placed.step);
      const isAhead = isReadAhead(store.bundle, store.trial.peek(), bundle, placed);
      if (opened?.state === "failed") {
        reject(opened.error);
      } else if (opened?.state !== "loading" && isAhead) {
        isTaken = true;
        store.take(bundle, files);
        resolve();
      }
    };
    awaited.set(store, bundle);
    tryToTake();
  });
}
