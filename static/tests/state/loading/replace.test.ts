import { describe, expect, it, vi } from "vitest";
import { Bundle } from "../../../src/data/bundle";
import { parseIndex } from "../../../src/data/format/bundle_index";
import { originalOf } from "../../../src/state/editing/edited_trials";
import { type OpenedData, replaceData } from "../../../src/state/loading/replace";
import { addedTrials } from "../../../src/state/selection/added_trials";
import { Store } from "../../../src/state/store";
import { buildBundle, type FixtureStep, type FixtureTrial } from "../../support/bundle_fixture";

function step(number: number, value: number): FixtureStep {
  return {
    step: number,
    tensors: ["x", "y"].map((name) => ({ name, iteration: 0, type: "input", kind: "kpis", shape: [3], batch_dimension: null })),
    groups: [{ name: "forward", tensors: [0, 1] }],
    graphs: [null],
    arrays: [
      { name: "counts", dtype: "I32", values: new Array<number>(10).fill(0) },
      { name: "extrema.F32", dtype: "F32", values: [0, 0, 0, 0] },
      { name: "statistics.F32", dtype: "F32", values: new Array<number>(8).fill(value) },
    ],
  };
}

function data(steps: FixtureStep[], trials?: FixtureTrial[], broken = false): OpenedData {
  const { index, chunks } = buildBundle(steps, trials);
  return { index: parseIndex(index), read: async (id) => (broken ? "QUJD" : chunks[id]!) };
}

function openStore(opened: OpenedData): Store {
  const store: Store = new Store(new Bundle(opened.index, opened.read, () => store.chunksChanged()));
  store.open({ selection: { node: "y", step: 20 }, view: new Map([["pane", "picture"]]) });
  return store;
}

const shownValue = async (store: Store): Promise<number> => {
  const read = (): unknown => {
    const { open } = store.shown.value!;
    const numbers = open!.content.numbers.statistics(store.record.value!, 0);
    store.bundle.chunks.request(numbers.chunks(0, 1));
    return numbers.at(0);
  };
  await vi.waitFor(() => expect(read()).toBeDefined());
  return Number(read());
};

describe("other data in place", () => {
  const older = () => data([step(10, 1), step(20, 2)]);

  it("shows the tensors where the tab that was open has nothing to show, and keeps every other tab", async () => {
    const store = openStore(older());
    await vi.waitFor(() => expect(store.shown.value).not.toBeNull());
    store.tab.value = "modules";
    await replaceData(store, older());
    expect(store.tab.value).toBe("tensors");
    store.tab.value = "network";
    await replaceData(store, older());
    expect(store.tab.value).toBe("network");
    store.open({ tab: "flow", selection: {} });
    expect(store.tab.value).toBe("tensors");
  });

  it("keeps what is selected, how it is shown and what was edited", async () => {
    const store = openStore(older());
    await vi.waitFor(() => expect(store.shown.value).not.toBeNull());
    expect(await shownValue(store)).toBe(2);
    store.editsOf("key").paint([[1, 0]], 5, 1);
    const changes: unknown[] = [];
    const stop = store.shown.subscribe((shown) => changes.push(shown));
    await replaceData(store, data([step(10, 3), step(20, 4), step(30, 5)]));
    stop();
    // At no moment is nothing shown, or a step of the one with numbers of the other.
    expect(changes).toHaveLength(2);
    expect(changes.every((shown) => shown !== null)).toBe(true);
    expect(await shownValue(store)).toBe(4);
    expect(store.selection.value).toMatchObject({ node: "y", step: 20 });
    expect([...store.view.value]).toEqual([["pane", "picture"]]);
    expect(store.editsOf("key").cells.size).toBe(1);
    expect(store.trial.value?.steps.step).toEqual([10, 20, 30]);
  });

  it("keeps of the selection what there is", async () => {
    const store = openStore(older());
    await replaceData(store, data([step(15, 7)], [{ name: "other", rank: 0, steps: [0] }]));
    expect(store.selection.value).toMatchObject({ trial: "other", node: "y", step: 15 });
    expect(store.added.value).toEqual([]);
  });

  it("is not taken where it cannot be read", async () => {
    const store = openStore(older());
    await vi.waitFor(() => expect(store.shown.value).not.toBeNull());
    await expect(replaceData(store, data([step(20, 9)], undefined, true))).rejects.toThrow("damaged");
    expect(await shownValue(store)).toBe(2);
  });

  it("does not load again what both have, nor work out anew what is in it", async () => {
    const build = (steps: number): OpenedData =>
      data([step(10, 1), step(20, 2), step(30, 3)], [{ name: "trial", rank: 0, steps: Array.from({ length: steps }, (_, k) => k) }]);
    const store = openStore(build(2));
    await vi.waitFor(() => expect(store.shown.value).not.toBeNull());
    expect(await shownValue(store)).toBe(2);
    const layout = store.shown.value!.open!.content.layout;
    const read: number[] = [];
    const newer = (): OpenedData => {
      const next = build(3);
      return { index: next.index, read: (id) => (read.push(id), next.read(id)) };
    };
    await replaceData(store, newer());
    expect(await shownValue(store)).toBe(2);
    expect(store.trial.value?.steps.step).toEqual([10, 20, 30]);
    expect(store.shown.value!.open!.content.layout).toBe(layout);
    expect(read).toEqual([]);
    // What a person opens is read from their file, and the page's own data anew when it comes back.
    await replaceData(store, newer(), ["other.html"]);
    expect(await shownValue(store)).toBe(2);
    expect(read.length).toBeGreaterThan(0);
    const readOfFile = read.splice(0);
    await replaceData(store, newer());
    expect(await shownValue(store)).toBe(2);
    expect(read).toEqual(readOfFile);
  });

  it("loads again what has changed at the same place", async () => {
    const store = openStore(older());
    await vi.waitFor(() => expect(store.shown.value).not.toBeNull());
    expect(await shownValue(store)).toBe(2);
    await replaceData(store, data([step(10, 1), step(20, 8)]));
    expect(await shownValue(store)).toBe(8);
  });

  it("is the last that was asked for", async () => {
    const store = openStore(older());
    await vi.waitFor(() => expect(store.shown.value).not.toBeNull());
    const first = replaceData(store, data([step(20, 3)]));
    await Promise.all([first, replaceData(store, data([step(20, 4)]))]);
    expect(await shownValue(store)).toBe(4);
  });

  it("says which trials are new, and which of them come from an edit", async () => {
    const store = openStore(older());
    const names = ["trial", "trial edit 2", "alone edit 1", "trial edit x"];
    await replaceData(
      store,
      data(
        names.map((_, k) => step(k, k)),
        names.map((name, k) => ({ name, rank: 0, steps: k === 3 ? [] : [k] })),
      ),
    );
    // A new trial without a step is announced as soon as it has a step.
    expect(store.added.value).toEqual(names.slice(1, 3));
    await replaceData(
      store,
      data(
        names.map((_, k) => step(k, k)),
        names.map((name, k) => ({ name, rank: 0, steps: [k] })),
      ),
    );
    expect(store.added.value).toEqual(names.slice(1));
    expect(names.map((name) => originalOf(store.bundle, name))).toEqual([null, "trial", null, null]);
    expect(addedTrials(store.bundle, store.bundle)).toEqual([]);
  });
});
