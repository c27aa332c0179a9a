/** The arrays of a step, which lie one behind the other in lanes that are cut into chunks. */

import { DamagedBundleError } from "../format/errors";
import { type ArraySet, CHUNK_BYTES, type ChunkTable, LANE_WIDTHS, type LaneWidth } from "../format/types";
import type { ChunkStore } from "./chunks";
import { elementType, type Value } from "./numbers";

/** Numbers that may or may not be loaded. */
export interface Numbers {
  length: number;
  /** Element `k`, or undefined while its chunk is not loaded. */
  at(k: number): Value | undefined;
  /** The chunks that hold the elements from `start` to `end`, excluding `end`. */
  chunks(start: number, end: number): number[];
  /** How its elements are stored. */
  dtype: string;
  /** The elements from `start` up to `end`, chunk by chunk, as they lie in memory. Empty if they do not lie side by side. */
  parts(start: number, end: number): NumbersPart[];
}

/** Elements that lie side by side in one chunk. */
export interface NumbersPart {
  chunk: number;
  start: number;
  end: number;
  /** Their bytes, little-endian; undefined while the chunk is not loaded. */
  bytes(): Uint8Array<ArrayBuffer> | undefined;
}

/** Where an array begins: its first element's place in its lane, and that lane's first chunk. */
export interface PlacedArray {
  dtype: string;
  count: number;
  firstChunk: number;
  offset: number;
  /** How many bytes a chunk of its lane has. */
  chunkBytes?: number;
}

/** The first chunk of every lane of a step, or -1. */
type FirstChunks = Readonly<Record<LaneWidth, number>>;

/**
 * Places the arrays of a step by name.
 *
 * Throws `DamagedBundleError` where the lengths differ from `expected` or a lane's chunks do not hold its arrays.
 */
export function placeArrays(
  set: ArraySet,
  strings: readonly string[],
  firstChunks: FirstChunks,
  table: ChunkTable,
  expected: ReadonlyMap<string, number>,
): Map<string, PlacedArray> {
  const ends = new Map<LaneWidth, number>(LANE_WIDTHS.map((width) => [width, 0]));
  const placed = new Map<string, PlacedArray>();
  set.name.forEach((position, k) => {
    const name = strings[position]!;
    const dtype = strings[set.dtype[k]!]!;
    const count = set.count[k]!;
    const { width } = elementType(dtype);
    const offset = ends.get(width)!;
    ends.set(width, offset + count);
    placed.set(name, { dtype, count, firstChunk: firstChunks[width], offset });
  });
  for (const [name, count] of expected) {
    const array = placed.get(name);
    if (array?.count !== count || (name !== "counts" && !name.endsWith(`.${array.dtype}`))) {
      throw new DamagedBundleError(`The numbers of this step do not fit its description (${name}).`);
    }
  }
  for (const [width, elements] of ends) {
    checkLane(width, elements * width, firstChunks[width], table);
  }
  return placed;
}

/** Makes sure that every element of a lane lies within its chunk. */
export function checkLane(width: LaneWidth, bytes: number, firstChunk: number, table: ChunkTable, chunkBytes = CHUNK_BYTES): void {
  for (let id = firstChunk, rest = bytes; rest > 0; id++, rest -= chunkBytes) {
    if (id < 0 || table.width[id] !== width || table.bytes[id] !== Math.min(rest, chunkBytes)) {
      throw new DamagedBundleError(`There are no numbers where they should be (part ${id}).`);
    }
  }
}

/** `count` elements of an array from `start` on, `stride` elements apart. */
export function numbersOf(chunks: ChunkStore, array: PlacedArray, start: number, count: number, stride = 1): Numbers {
  const { width, read } = elementType(array.dtype);
  const perChunk = (array.chunkBytes ?? CHUNK_BYTES) / width;
  const chunkOf = (k: number): number => array.firstChunk + Math.floor((array.offset + start + k * stride) / perChunk);
  let viewed = -1;
  let view: DataView | undefined;
  return {
    length: count,
    at(k) {
      const id = chunkOf(k);
      if (id !== viewed || view === undefined) {
        const bytes = chunks.peek(id);
        view = bytes && new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        viewed = id;
      }
      const offset = ((array.offset + start + k * stride) % perChunk) * width;
      return view && read(view, offset);
    },
    chunks(from, to) {
      const ids: number[] = [];
      if (to > from) {
        for (let id = chunkOf(from), last = chunkOf(to - 1); id <= last; id++) {
          ids.push(id);
        }
      }
      return ids;
    },
    dtype: array.dtype,
    parts(from, to) {
      const parts: NumbersPart[] = [];
      for (let k = from; stride === 1 && k < to; ) {
        const place = array.offset + start + k;
        const end = Math.min(to, k + perChunk - (place % perChunk));
        const [id, first, length] = [chunkOf(k), (place % perChunk) * width, (end - k) * width];
        parts.push({ chunk: id, start: k, end, bytes: () => chunks.peek(id)?.subarray(first, first + length) });
        k = end;
      }
      return parts;
    },
  };
}

/** Stored types that are numbers of the platform as they are; all platforms with a browser are little-endian. */
const PLATFORM_TYPES: Readonly<Record<string, Int32ArrayConstructor | Float32ArrayConstructor | Float64ArrayConstructor>> = {
  I32: Int32Array,
  F32: Float32Array,
  F64: Float64Array,
};

/** All elements, which lie side by side, as numbers; undefined while a chunk is not loaded. */
export function allOf(numbers: Numbers): Float64Array | undefined {
  const { width, read } = elementType(numbers.dtype);
  const platform = PLATFORM_TYPES[numbers.dtype];
  const all = new Float64Array(numbers.length);
  for (const part of numbers.parts(0, numbers.length)) {
    const bytes = part.bytes();
    if (bytes === undefined) {
      return undefined;
    }
    if (platform !== undefined && bytes.byteOffset % width === 0) {
      all.set(new platform(bytes.buffer, bytes.byteOffset, part.end - part.start), part.start);
      continue;
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let k = part.start; k < part.end; k++) {
      all[k] = Number(read(view, (k - part.start) * width));
    }
  }
  return all;
}

/** No numbers at all. */
export const NO_NUMBERS: Numbers = { length: 0, at: () => undefined, chunks: () => [], dtype: "F32", parts: () => [] };
