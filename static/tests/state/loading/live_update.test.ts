import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Bundle } from "../../../src/data/bundle";
import { parseIndex } from "../../../src/data/format/bundle_index";
import { ChunkSources, type Page } from "../../../src/data/source";
import { startLive } from "../../../src/state/loading/live_update";
import { replaceData } from "../../../src/state/loading/replace";
import { Store } from "../../../src/state/store";
import { buildBundle, type FixtureStep, ownStep } from "../../support/bundle_fixture";

/** A folder that holds this generation. A chunk of it is delivered as soon as `release` was called. */
function folderOf(generation: number, steps: FixtureStep[]) {
  const { index, chunks } = buildBundle(steps);
  const json = JSON.stringify({ ...(JSON.parse(index) as object), generation, content_digest: `digest ${generation}` });
  let release = (): void => undefined;
  const asked: string[] = [];
  const released = new Promise<void>((resolve) => (release = resolve));
  const page: Page = {
    find: () => null,
    parsing: () => false,
    wait: async () => undefined,
    runScript: async (path) => {
      if (path.startsWith("data/version.js")) {
        window.__comgraVersion?.(generation, `digest ${generation}`);
      } else if (path === `data/index-${generation}.js`) {
        window.__comgraIndex?.(generation, json);
      } else {
        asked.push(path);
        await released;
        const id = Number(/c(\d+)/.exec(path)![1]);
        window.__comgraChunk?.(id, chunks[id]!, generation);
      }
    },
  };
  return { page, release, asked };
}

beforeEach(() => {
  // Chunks take the time that they take.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("document", { hidden: false, addEventListener: () => undefined });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("newer data", () => {
  it("is taken by the next look where a file that was opened meanwhile turns out to be broken", async () => {
    const older = buildBundle([ownStep(1)]);
    const index = parseIndex(older.index);
    const store: Store = new Store(
      new Bundle(
        { ...index, generation: 1 },
        async (id) => older.chunks[id]!,
        () => store.chunksChanged(),
      ),
    );
    const { page, release, asked } = folderOf(2, [ownStep(1), ownStep(2)]);
    startLive(store, new ChunkSources(page));
    vi.advanceTimersByTime(2100);
    // The newer data waits for its chunks.
    await vi.waitFor(() => expect(asked).not.toHaveLength(0));
    expect(store.bundle.index.generation).toBe(1);
    const opened = replaceData(store, { index, read: async () => "QUJD" }, ["broken.html"]);
    release();
    await expect(opened).rejects.toThrow();
    expect(store.bundle.index.generation).toBe(1);
    await vi.waitFor(() => {
      vi.advanceTimersByTime(2100);
      expect(store.bundle.index.generation).toBe(2);
    });
    expect(store.updated.value).toBeGreaterThan(0);
  });
});
