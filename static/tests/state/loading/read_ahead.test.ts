import { expect, it, vi } from "vitest";
import { replaceData } from "../../../src/state/loading/replace";
import type { Store } from "../../../src/state/store";
import { addChunk, buildBundle, ownStep } from "../../support/bundle_fixture";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";

/** The histogram of a single value, 2, among `size`. Bin 513 begins at 2. */
function histogramOf(size: number): Buffer {
  const integers = Int32Array.of(0, 0, 0, 513, 1, 0, 1, 1, 0, 0, 0, 0, 0, size, 1);
  const floats = new Float32Array(9).fill(2);
  return Buffer.concat([Buffer.from(integers.buffer), Buffer.from(floats.buffer)]);
}

/** Data with a histogram of x, and the numbers of all chunks that are read of it. */
function dataWith(size: number) {
  const built = buildBundle([ownStep(0)]);
  const lane4 = addChunk(built, histogramOf(size), 4);
  const directory = addChunk(built, {
    strings: ["forward", "x", "train"],
    step_lists: [[0]],
    lane8: -1,
    lane4,
    records: {
      group: [0],
      name: [1],
      iteration: [0],
      type: [2],
      steps: [0],
      width: [4],
      start: [15],
      integers_width: [4],
      integers_start: [0],
      counts: [1],
    },
  });
  const { index, read } = dataOfBundle(built, (json) => (json.trials[0].histograms = [directory]));
  const asked: number[] = [];
  return { index, read: (id: number) => (asked.push(id), read(id)), asked, histogram: lane4, directory };
}

/** The sizes of x that are here at once. */
function sizesOf(store: Store): number[] | undefined {
  const histograms = store.bundle.histograms(store.trial.value!);
  const record = histograms.state === "ready" ? histograms.value?.records("x", 0)[0] : undefined;
  store.bundle.chunks.request([...(record?.chunks ?? [])]);
  return record?.read()?.map(({ size }) => size);
}

it("has the histograms of newer data at once, where those of the older data are shown", async () => {
  const store = storeOf(dataWith(10));
  await shownBy(store);
  await vi.waitUntil(() => sizesOf(store) !== undefined);
  expect(sizesOf(store)).toEqual([10]);
  const newer = dataWith(11);
  await replaceData(store, newer);
  expect(sizesOf(store)).toEqual([11]);
  expect(newer.asked).toContain(newer.histogram);
});

it("reads none where none are shown", async () => {
  const store = storeOf(dataWith(10));
  await shownBy(store);
  const newer = dataWith(11);
  await replaceData(store, newer);
  expect(newer.asked).not.toContain(newer.directory);
  expect(newer.asked).not.toContain(newer.histogram);
});

it("does not wait for numbers that cannot be read", async () => {
  const store = storeOf(dataWith(10));
  await shownBy(store);
  await vi.waitUntil(() => sizesOf(store) !== undefined);
  const newer = dataWith(11);
  await replaceData(store, { ...newer, read: (id) => (id === newer.histogram ? Promise.reject(new Error("gone")) : newer.read(id)) });
  expect(store.bundle.chunks.failure(newer.histogram)?.message).toBe("gone");
});
