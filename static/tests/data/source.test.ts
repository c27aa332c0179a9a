import { describe, expect, it, vi } from "vitest";
import { MissingChunkError } from "../../src/data/format/errors";
import { ChunkSource, ChunkSources, type Page } from "../../src/data/source";

/** A page that is parsed bit by bit: every wait brings the next state. */
function pageOf(states: { text: string | null; followed: boolean; parsing: boolean }[], script?: (path: string) => void): Page {
  let k = 0;
  const state = () => states[Math.min(k, states.length - 1)]!;
  return {
    find: () => {
      const { text, followed } = state();
      return text === null ? null : { text: () => text, followed };
    },
    parsing: () => state().parsing,
    runScript: async (path) => {
      if (script === undefined) {
        throw new Error("not found");
      }
      script(path);
    },
    wait: async () => void k++,
  };
}

const NOTHING = { text: null, followed: false, parsing: false };

describe("ChunkSource", () => {
  it("asks for the files of its generation only, and for no template", async () => {
    const asked: string[] = [];
    const page = pageOf([{ text: "QUJD", followed: true, parsing: false }], (path) => (asked.push(path), source.deliver(12, "REVG")));
    const source = new ChunkSource(page, [], 3);
    await expect(source.read(12)).resolves.toBe("REVG");
    expect(asked).toEqual(["data/c000012-3.js"]);
  });

  it("asks for no file of what came with the index, as long as it has that", async () => {
    const asked: string[] = [];
    const source = new ChunkSource(
      pageOf([NOTHING], (path) => (asked.push(path), source.deliver(12, "REVG"))),
      [],
      3,
    );
    source.deliver(12, "REVG");
    await expect(source.read(12)).resolves.toBe("REVG");
    expect(asked).toEqual([]);
    await expect(source.read(12)).resolves.toBe("REVG");
    expect(asked).toEqual(["data/c000012-3.js"]);
  });

  it("has what is of its own generation, until that is forgotten", async () => {
    vi.stubGlobal("window", globalThis);
    const sources = new ChunkSources(pageOf([NOTHING]));
    const [third, fourth] = [sources.open(3), sources.open(4)];
    window.__comgraChunk!(7, "QUJD", 3);
    window.__comgraChunk!(7, "REVG", 4);
    window.__comgraChunk!(7, "R0hJ", 5);
    await expect(third.read(7)).resolves.toBe("QUJD");
    sources.keepOnly(4);
    window.__comgraChunk!(8, "QUJD", 3);
    await expect(third.read(8)).rejects.toThrow(MissingChunkError);
    await expect(fourth.read(7)).resolves.toBe("REVG");
    vi.unstubAllGlobals();
  });

  it("does not read a template before something follows it", async () => {
    const page = pageOf([
      { text: null, followed: false, parsing: true },
      { text: "QUJ", followed: false, parsing: true },
      { text: "QUJD", followed: true, parsing: true },
    ]);
    await expect(new ChunkSource(page, [1]).read(0)).resolves.toBe("QUJD");
  });

  it("reads the last template once the page is complete", async () => {
    const page = pageOf([
      { text: "QU", followed: false, parsing: true },
      { text: "QUJD", followed: false, parsing: false },
    ]);
    await expect(new ChunkSource(page, [1]).read(0)).resolves.toBe("QUJD");
  });

  it("says that the page was cut off when a template never comes", async () => {
    const page = pageOf([{ text: null, followed: false, parsing: true }, NOTHING]);
    await expect(new ChunkSource(page, [1]).read(0)).rejects.toThrow("cut off");
  });

  it("runs the script of a chunk that is not in the page", async () => {
    const paths: string[] = [];
    const page = pageOf([NOTHING], (path) => {
      paths.push(path);
      source.deliver(12, "QUJD");
    });
    const source: ChunkSource = new ChunkSource(page, new Array<number>(13).fill(0));
    await expect(source.read(12)).resolves.toBe("QUJD");
    expect(paths).toEqual(["data/c000012.js"]);
  });

  it("does not wait for the page when the chunk is in a file", async () => {
    const page = pageOf([{ text: null, followed: false, parsing: true }], () => source.deliver(0, "QUJD"));
    const source: ChunkSource = new ChunkSource(page, [0]);
    await expect(source.read(0)).resolves.toBe("QUJD");
  });

  it("says that a file is missing, or holds another chunk", async () => {
    await expect(new ChunkSource(pageOf([NOTHING]), [0]).read(0)).rejects.toThrow(MissingChunkError);
    const page = pageOf([NOTHING], () => source.deliver(7, "QUJD"));
    const source: ChunkSource = new ChunkSource(page, [0]);
    await expect(source.read(0)).rejects.toThrow("does not match its name");
  });
});
