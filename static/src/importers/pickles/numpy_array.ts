/** Arrays of plain numbers as numpy writes them: bytes, and how they are to be read. */

import { elementType } from "../../data/arrays/numbers";
import type { Dtype } from "../../data/format/types";
import { RefusedError } from "./errors";

/** Our names of the dtypes that are read, by numpy's code without its byte order. */
const PLAIN: ReadonlyMap<string, Dtype> = new Map([
  ["b1", "BOOL"],
  ["i1", "I8"],
  ["u1", "U8"],
  ["i2", "I16"],
  ["u2", "U16"],
  ["i4", "I32"],
  ["u4", "U32"],
  ["i8", "I64"],
  ["u8", "U64"],
  ["f2", "F16"],
  ["f4", "F32"],
  ["f8", "F64"],
]);

const MOST_DIMENSIONS = 32;

export function isPlain(code: string): boolean {
  return PLAIN.has(code);
}

/** An array. Its numbers are read when they are asked for. */
export class NumpyArray {
  readonly dtype: Dtype;
  readonly size: number;
  private readonly width: number;

  /** `strides` are in elements. The bytes have been checked by `plainArray`. */
  constructor(
    private readonly bytes: Uint8Array<ArrayBuffer>,
    private readonly code: string,
    private readonly isLittleEndian: boolean,
    readonly shape: readonly number[],
    private readonly strides: readonly number[],
  ) {
    this.dtype = PLAIN.get(code)!;
    this.width = elementType(this.dtype).width;
    this.size = productOf(shape);
  }

  get byteLength(): number {
    return this.size * this.width;
  }

  /** With its axes in another order. */
  transposed(axes: readonly number[]): NumpyArray {
    return new NumpyArray(
      this.bytes,
      this.code,
      this.isLittleEndian,
      axes.map((axis) => this.shape[axis]!),
      axes.map((axis) => this.strides[axis]!),
    );
  }

  /** Its numbers, row by row; integers beyond 2^53 are rounded. */
  numbers(): Float64Array<ArrayBuffer> {
    const { read } = elementType(this.dtype);
    const view = new DataView(this.littleEndianBytes().buffer);
    return Float64Array.from({ length: this.size }, (_, k) => Number(read(view, k * this.width)));
  }

  /** Its numbers, row by row, as little-endian bytes of its own dtype. */
  littleEndianBytes(): Uint8Array<ArrayBuffer> {
    const reordered = new Uint8Array(this.byteLength);
    const { width } = this;
    this.visit((element, place) => {
      for (let k = 0; k < width; k++) {
        reordered[place * width + k] = this.bytes[element * width + (this.isLittleEndian ? k : width - 1 - k)]!;
      }
    });
    return reordered;
  }

  /** Calls `use` with where each element is, row by row. */
  private visit(use: (element: number, place: number) => void): void {
    const at = this.shape.map(() => 0);
    for (let place = 0, element = 0; place < this.size; place++) {
      use(element, place);
      for (let axis = at.length - 1; axis >= 0; axis--) {
        element += this.strides[axis]!;
        if (++at[axis]! < this.shape[axis]!) {
          break;
        }
        element -= this.strides[axis]! * this.shape[axis]!;
        at[axis] = 0;
      }
    }
  }
}

/** An array of bytes that are not trusted. Throws `RefusedError`. */
export function plainArray(
  bytes: Uint8Array<ArrayBuffer>,
  code: string,
  isLittleEndian: boolean,
  shape: readonly number[],
  isFortran: boolean,
): NumpyArray {
  if (
    shape.length > MOST_DIMENSIONS ||
    !shape.every((size) => Number.isSafeInteger(size) && size >= 0) ||
    !Number.isSafeInteger(productOf(shape.map((size) => Math.max(1, size))))
  ) {
    throw new RefusedError("an array has an impossible shape");
  }
  if (productOf(shape) * elementType(PLAIN.get(code)!).width !== bytes.length) {
    throw new RefusedError(`an array of the shape [${shape.join(", ")}] and the dtype ${code} does not fit its ${bytes.length} bytes`);
  }
  return new NumpyArray(bytes, code, isLittleEndian, shape, stridesOf(shape, isFortran));
}

function stridesOf(shape: readonly number[], isFortran: boolean): number[] {
  const strides = shape.map(() => 1);
  let stride = 1;
  for (let k = 0; k < shape.length; k++) {
    const axis = isFortran ? k : shape.length - 1 - k;
    strides[axis] = stride;
    stride *= shape[axis]!;
  }
  return strides;
}

export function productOf(sizes: readonly number[]): number {
  return sizes.reduce((product, size) => product * size, 1);
}
