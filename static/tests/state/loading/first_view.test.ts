import { describe, expect, it } from "vitest";
import { openFirstView } from "../../../src/state/loading/first_view";
import type { Store } from "../../../src/state/store";
import { addChunk, buildBundle, ownStep } from "../../support/bundle_fixture";
import { dataOfBundle, storeOf } from "../../support/open_store";

describe("a page without an address", () => {
  const STARTED = ["2025-01-02T00:00:00Z", "2025-01-03T00:00:00Z", "not known"];

  /** Three trials of one step each; the calls of their modules are known where they are watched. */
  function openPage(isWatched: boolean, isDamaged = false): Store {
    const trials = ["first", "second", "third"].map((trial, k) => ({ name: trial, rank: 0, steps: [k] }));
    const built = buildBundle(
      trials.map((_, k) => ownStep(k)),
      trials,
    );
    const calls = addChunk(built, [{}]);
    const data = dataOfBundle(built, (index) => {
      index.calls = { chunk: [calls], position: [0] };
      index.call_sets = [[0]];
      index.about.recordings = trials.map((trial, k) => ({ trial: trial.name, started: STARTED[k] }));
      for (const trial of index.trials) {
        trial.steps.call_set = [isWatched ? 0 : -1];
      }
    });
    const store = storeOf(isDamaged ? { ...data, read: () => Promise.reject(new Error("not here")) } : data);
    openFirstView(store);
    return store;
  }

  const viewOf = (store: Store): [string, string | undefined] => [store.tab.value, store.trial.value?.name];

  it("opens at once on the overview of the first trial", () => {
    expect(viewOf(openPage(false))).toEqual(["overview", "first"]);
  });

  it("opens on that of the trial that was begun last, where modules were watched", () => {
    expect(viewOf(openPage(true))).toEqual(["overview", "second"]);
  });

  it("opens on the overview where no step can be read", async () => {
    const store = openPage(false, true);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(store.shown.value).toBeNull();
    expect(viewOf(store)).toEqual(["overview", "first"]);
  });
});
