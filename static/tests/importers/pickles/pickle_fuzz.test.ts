import { describe, expect, it } from "vitest";
import { ForeignDataError } from "../../../src/importers/pickles/errors";
import { readNpy } from "../../../src/importers/pickles/npy";
import { NumpyArray } from "../../../src/importers/pickles/numpy_array";
import { readPickle } from "../../../src/importers/pickles/pickle";
import { PickledDict, PickledTuple } from "../../../src/importers/pickles/pickle_globals";
import { openVnittest } from "../../../src/importers/vnittest/open";
import pickled from "../../support/pickles.json";
import dropped from "../../support/vnittest.json";

type Bytes = Uint8Array<ArrayBuffer>;

const bytes = (base64: string): Bytes => new Uint8Array(Buffer.from(base64, "base64"));
const cases = dropped as unknown as { files: Record<string, string> }[];
const flowInfos = cases.flatMap(({ files }) =>
  Object.entries(files).flatMap(([name, data]) => (name.endsWith(".pkl") ? [bytes(data)] : [])),
);
const PICKLES = [...pickled.pickles.map(({ data }) => bytes(data)), ...flowInfos];
const ARRAYS = pickled.arrays.map(({ data }) => bytes(data));

/** Numbers from 0 to 1, the same ones in every run (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Bytes that mean something: instructions, and the lengths that are the hardest to get right. */
const INSTRUCTIONS = [..."(0122NIJKMLFGSTUVXBC)tl]aed}supqrhgjcRb."]
  .map((letter) => letter.charCodeAt(0))
  .concat([0x80, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x93, 0x94, 0x95, 0x96]);
const LENGTHS = [0, 1, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff];

/** A file with one change or a few: bytes, lengths, instructions, and pieces that are left out, repeated or taken from another file. */
function mutated(files: readonly Bytes[], next: () => number): Bytes {
  const below = (count: number): number => Math.floor(next() * count);
  let file: Bytes = files[below(files.length)]!.slice();
  for (let changes = next() < 0.6 ? 1 : 2 + below(3); changes > 0; changes--) {
    const [at, length] = [below(file.length + 1), 1 + below(24)];
    const [before, piece, behind] = [file.subarray(0, at), file.subarray(at, at + length), file.subarray(at + length)];
    const other = files[below(files.length)]!;
    const from = below(other.length);
    const number = new Uint8Array(Uint32Array.of(LENGTHS[below(LENGTHS.length)]!).buffer);
    const made = [
      () => [before, Uint8Array.of((file[at] ?? 0) ^ (1 << below(8))), file.subarray(at + 1)],
      () => [before, Uint8Array.of(below(256)), file.subarray(at + 1)],
      () => [before, Uint8Array.of(INSTRUCTIONS[below(INSTRUCTIONS.length)]!), file.subarray(at + below(2))],
      () => [before, number, file.subarray(at + 4)],
      () => [before, behind],
      () => [before, ...Array.from({ length: 1 + below(40) }, () => piece), file.subarray(at)],
      () => [before, other.subarray(from, from + length * 4), behind],
      () => [before],
    ][below(8)]!();
    file = new Uint8Array(Buffer.concat(made));
  }
  return file;
}

/** How many bytes of numbers and how many values something that was read holds. */
function sizeOf(value: unknown): number {
  if (value instanceof NumpyArray) {
    return 1 + value.byteLength;
  }
  const members: readonly unknown[] =
    value instanceof PickledTuple ? value.members : value instanceof PickledDict ? value.items.flat() : Array.isArray(value) ? value : [];
  return members.reduce<number>((sum, member) => sum + sizeOf(member), 1);
}

/** Reads many files, and counts those that are not refused. Whatever is thrown besides our own error is shown with the file. */
function readAll(count: number, seed: number, files: readonly Bytes[], read: (file: Bytes) => void): number {
  const next = random(seed);
  let taken = 0;
  for (let k = 0; k < count; k++) {
    const file = mutated(files, next);
    try {
      read(file);
      taken++;
    } catch (error) {
      if (!(error instanceof ForeignDataError)) {
        throw new Error(`${String(error)} at ${Buffer.from(file).toString("base64")}`, { cause: error });
      }
      expect(error.message).toMatch(/^x is not read: .+\.$/s);
    }
  }
  return taken;
}

describe("changed files", () => {
  it("are read or refused in words, and what is read is no larger than a multiple of the file: pickles", () => {
    const taken = readAll(8000, 1, PICKLES, (file) => {
      const read = readPickle(file, "x");
      expect(sizeOf(read)).toBeLessThanOrEqual(2 * (16 * file.length + 1024));
    });
    // Both happen, or nothing would be shown by this.
    expect(taken).toBeGreaterThan(200);
    expect(taken).toBeLessThan(7600);
  });

  it("are read or refused in words: arrays", () => {
    const taken = readAll(4000, 2, ARRAYS, (file) => {
      const array = readNpy(file, "x");
      expect(array.byteLength).toBeLessThan(file.length);
      expect(array.numbers()).toHaveLength(array.size);
    });
    expect(taken).toBeGreaterThan(100);
    expect(taken).toBeLessThan(3800);
  });

  it("become a page or are refused in words", async () => {
    const next = random(3);
    let taken = 0;
    for (let k = 0; k < 1500; k++) {
      const file = mutated(flowInfos, next);
      try {
        await openVnittest([{ name: "flow_info.pkl", arrayBuffer: async () => file.buffer }]);
        taken++;
      } catch (error) {
        if (!(error instanceof ForeignDataError)) {
          throw new Error(`${String(error)} at ${Buffer.from(file).toString("base64")}`, { cause: error });
        }
      }
    }
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(1450);
  });
});
