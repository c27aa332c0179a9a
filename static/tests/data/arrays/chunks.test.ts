import { describe, expect, it } from "vitest";
import { ChunkStore } from "../../../src/data/arrays/chunks";
import { crc32 } from "../../../src/data/arrays/codec";

const SIZE = 100;

function storeOf(
  count: number,
  options: { capacity?: number; broken?: number; contents?: readonly number[]; identity?: readonly number[] } = {},
) {
  const raw = Array.from({ length: count }, (_, k) => new Uint8Array(SIZE).fill(options.contents?.[k] ?? k));
  const reads: number[] = [];
  let changes = 0;
  const awaited: boolean[] = [];
  const store = new ChunkStore({
    table: {
      bytes: raw.map(() => SIZE),
      crc32: raw.map((bytes, k) => (k === options.broken ? 1 : crc32(bytes))),
      codec: raw.map(() => 0),
      width: raw.map(() => 1),
      inline: raw.map(() => 1),
      identity: [...(options.identity ?? [])],
      encoded: [],
    },
    read: async (id) => {
      reads.push(id);
      return Buffer.from(raw[id]!).toString("base64");
    },
    onChange: (isAwaited) => {
      changes++;
      awaited.push(isAwaited);
    },
    ...(options.capacity === undefined ? {} : { capacity: options.capacity }),
  });
  return { store, reads, awaited, changes: () => changes };
}

async function settled(store: ChunkStore): Promise<void> {
  while (store.outstanding > 0) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe("ChunkStore", () => {
  it("has nothing until it has been asked, and loads what it is asked for once", async () => {
    const { store, reads, changes } = storeOf(3);
    expect(store.peek(1)).toBeUndefined();
    store.request([1, 1]);
    store.request([1]);
    await settled(store);
    store.request([1]);
    await settled(store);
    expect(store.peek(1)?.[0]).toBe(1);
    expect(reads).toEqual([1]);
    expect(changes()).toBe(1);
  });

  it("says whether something waits for what has arrived, or it was only read ahead", async () => {
    const { store, reads, awaited } = storeOf(4, { broken: 3 });
    store.readAhead(() => store.request([0, 1]));
    store.request([1, 2]);
    store.readAhead(() => store.request([2]));
    await settled(store);
    // 1 was asked for again while it was being read ahead, and 2 before.
    expect(reads).toEqual([0, 1, 2]);
    expect(awaited).toEqual([false, true, true]);
    // A failure is always told.
    store.readAhead(() => store.request([3]));
    await settled(store);
    expect(awaited.at(-1)).toBe(true);
  });

  it("takes over what an older build has loaded, wherever it is now", async () => {
    const older = storeOf(4, { contents: [5, 6, 7, 7], identity: [50, 60, 70, 70] });
    older.store.request([0, 1, 3]);
    await settled(older.store);
    // 5 stays, 6 has moved, 7 stays although it is elsewhere too; 8 is called like 6 by accident.
    const newer = storeOf(6, { contents: [5, 9, 7, 7, 8, 6], identity: [50, 90, 70, 70, 60, 60] });
    newer.store.inherit(older.store);
    expect([0, 1, 2, 3, 4, 5].map((id) => newer.store.peek(id)?.[0])).toEqual([5, undefined, undefined, 7, undefined, 6]);
    expect([0, 1, 2, 3].map((id) => newer.store.numberOf(older.store, id))).toEqual([0, 5, 2, 3]);
    const nameless = storeOf(4, { contents: [5, 6, 7, 7] });
    nameless.store.inherit(older.store);
    newer.store.inherit(storeOf(6).store);
    expect([0, 1, 3].map((id) => nameless.store.peek(id))).toEqual([undefined, undefined, undefined]);
  });

  it("counts once what two chunks of an older build have in common", async () => {
    const older = storeOf(2, { contents: [7, 7], identity: [70, 70] });
    older.store.request([0, 1]);
    await settled(older.store);
    const { store } = storeOf(5, { contents: [1, 2, 3, 4, 7], identity: [10, 20, 30, 40, 70], capacity: 2 * SIZE });
    store.inherit(older.store);
    store.request([0]);
    await settled(store);
    expect([0, 4].map((id) => store.peek(id)?.[0])).toEqual([1, 7]);
  });

  it("drops what was used longest ago when it is full", async () => {
    const { store, reads } = storeOf(4, { capacity: 2 * SIZE });
    store.request([0]);
    await settled(store);
    store.request([1]);
    await settled(store);
    store.peek(0);
    store.request([2]);
    await settled(store);
    expect(store.peek(1)).toBeUndefined();
    expect(store.peek(0)?.[0]).toBe(0);
    store.request([1]);
    await settled(store);
    expect(reads).toEqual([0, 1, 2, 1]);
  });

  it("keeps a chunk that is larger than the cache", async () => {
    const { store } = storeOf(1, { capacity: 10 });
    store.request([0]);
    await settled(store);
    expect(store.peek(0)).toBeDefined();
  });

  it("remembers a failure until it is told to forget it", async () => {
    const { store, reads } = storeOf(2, { broken: 1 });
    store.request([1]);
    await settled(store);
    expect(store.failure(1)?.message).toContain("Part 1 of the data is damaged: its checksum is wrong");
    store.request([1]);
    await settled(store);
    expect(reads).toEqual([1]);
    store.forgetFailures();
    store.request([1]);
    await settled(store);
    expect(reads).toEqual([1, 1]);
  });

  it("fails for a chunk that the bundle does not have", async () => {
    const { store } = storeOf(1);
    store.request([5]);
    await settled(store);
    expect(store.failure(5)?.message).toContain("part 5");
  });
});
