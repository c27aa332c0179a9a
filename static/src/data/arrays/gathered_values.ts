/** Many values side by side in memory, however many chunks they come from: for pictures, histograms, sorting and downloads. */

import type { Numbers, NumbersPart } from "./lanes";
import { bfloatToNumber, elementType, halfToNumber, type Value } from "./numbers";

/** Stored types whose numbers a float32 does not hold exactly. */
const WIDE: ReadonlySet<string> = new Set(["F64", "I64", "I32", "U64", "U32"]);

/** Stored types whose bytes are numbers of the platform as they are; all platforms with a browser are little-endian. */
const AS_THEY_ARE: ReadonlySet<string> = new Set(["F32", "F64"]);

/**
 * The values from `start` to `end` of some numbers. What has been loaded is copied by `gather`, so that it stays even where the cache
 * of chunks has no room for all of them.
 */
export class GatheredValues {
  readonly dtype: string;
  readonly length: number;
  /** As stored, little-endian. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** To calculate with; exact but for integers of 64 bits. */
  readonly numbers: Float32Array | Float64Array;
  private readonly parts: NumbersPart[];
  private readonly missing: Set<number>;
  private readonly view: DataView;
  private readonly width: number;
  private readonly read: (view: DataView, offset: number) => Value;

  constructor(
    source: Numbers,
    private readonly start = 0,
    end = source.length,
  ) {
    const { width, read } = elementType(source.dtype);
    this.dtype = source.dtype;
    this.length = end - start;
    this.bytes = new Uint8Array(this.length * width);
    this.view = new DataView(this.bytes.buffer);
    this.numbers = numbersIn(this.dtype, this.bytes.buffer, this.length);
    this.parts = source.parts(start, end);
    this.missing = new Set(this.parts.keys());
    this.width = width;
    this.read = read;
  }

  /** Copies what has been loaded meanwhile; says whether there was something. */
  gather(): boolean {
    let hasNew = false;
    for (const number of this.missing) {
      const part = this.parts[number]!;
      const bytes = part.bytes();
      if (bytes !== undefined) {
        this.bytes.set(bytes, (part.start - this.start) * this.width);
        this.convert(part.start - this.start, part.end - this.start);
        this.missing.delete(number);
        hasNew = true;
      }
    }
    return hasNew;
  }

  /** The chunks that have not been copied yet. */
  get missingChunks(): number[] {
    return [...this.missing].map((number) => this.parts[number]!.chunk);
  }

  get complete(): boolean {
    return this.missing.size === 0;
  }

  /** How many parts there are, and how many of them are here. */
  get progress(): { loaded: number; total: number } {
    return { loaded: this.parts.length - this.missing.size, total: this.parts.length };
  }

  /** Which values are not here yet, as pairs of the first and the one behind the last. */
  get gaps(): [number, number][] {
    return this.ranges((number) => this.missing.has(number));
  }

  /** Which values are here. */
  get loaded(): [number, number][] {
    return this.ranges((number) => !this.missing.has(number));
  }

  private ranges(which: (number: number) => boolean): [number, number][] {
    return this.parts.filter((_, number) => which(number)).map((part) => [part.start - this.start, part.end - this.start]);
  }

  /** Value `k`, exactly as recorded; undefined while it is not here. */
  at(k: number): Value | undefined {
    if (k < 0 || k >= this.length || (!this.complete && this.gaps.some(([from, to]) => k >= from && k < to))) {
      return undefined;
    }
    return this.read(this.view, k * this.width);
  }

  private convert(from: number, to: number): void {
    if (AS_THEY_ARE.has(this.dtype)) {
      return;
    }
    const { numbers, view, width, read } = this;
    if (width === 2 && (this.dtype === "F16" || this.dtype === "BF16")) {
      const table = halfTable(this.dtype);
      for (let k = from; k < to; k++) {
        numbers[k] = table[view.getUint16(k * 2, true)]!;
      }
      return;
    }
    for (let k = from; k < to; k++) {
      numbers[k] = Number(read(view, k * width));
    }
  }
}

/** Room for numbers: the bytes themselves where they are numbers of the platform. */
function numbersIn(dtype: string, bytes: ArrayBuffer, length: number): Float32Array | Float64Array {
  if (AS_THEY_ARE.has(dtype)) {
    return dtype === "F32" ? new Float32Array(bytes) : new Float64Array(bytes);
  }
  return WIDE.has(dtype) ? new Float64Array(length) : new Float32Array(length);
}

const HALF_TABLES = new Map<string, Float32Array>();

/** The numbers of all 65,536 halves. */
function halfTable(dtype: "F16" | "BF16"): Float32Array {
  let table = HALF_TABLES.get(dtype);
  if (table === undefined) {
    const read = dtype === "F16" ? halfToNumber : bfloatToNumber;
    table = Float32Array.from({ length: 0x10000 }, (_, bits) => read(bits));
    HALF_TABLES.set(dtype, table);
  }
  return table;
}
