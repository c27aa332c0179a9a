/** What the few allowed names in a pickle stand for. Nothing is called: each checks its arguments and makes an array of bytes. */

import { RefusedError } from "./errors";
import { isPlain, type NumpyArray, plainArray } from "./numpy_array";

/** How many arguments a call may safely have. */
const SLICE = 8192;

/** Something that a pickle names: `numpy.ndarray`. */
export class PickledGlobal {
  constructor(readonly name: string) {}
}

export class PickledTuple {
  constructor(readonly members: readonly unknown[]) {}
}

/** The items in the order in which they were set; of equal keys, the last one counts. */
export class PickledDict {
  readonly items: [key: unknown, value: unknown][] = [];
}

/** A dtype of plain numbers. Its byte order comes later. */
export class PickledDtype {
  isLittleEndian = true;

  constructor(readonly code: string) {}

  /** Takes `(3, "<", None, None, None, -1, -1, 0)`: the version, the byte order, and what plain numbers do not have. */
  setState(state: unknown): void {
    const parts = state instanceof PickledTuple ? state.members : [];
    if (![8, 9].includes(parts.length) || !["<", ">", "|", "="].includes(parts[1] as string)) {
      throw new RefusedError("a dtype has a state that is not one of numpy's");
    }
    if (parts.slice(2, 5).some((part) => part !== null)) {
      throw new RefusedError("a dtype has fields or a shape of its own; only arrays of plain numbers are read");
    }
    this.isLittleEndian = parts[1] !== ">";
  }
}

/** An array whose numbers may come later. */
export class PickledArray {
  constructor(public array: NumpyArray | null = null) {}

  /** Takes `(1, shape, dtype, whether in Fortran order, bytes)`. */
  setState(state: unknown): void {
    if (!(state instanceof PickledTuple) || state.members.length !== 5) {
      throw new RefusedError("an array has a state that is not one of numpy's");
    }
    const [, shape, dtype, isFortran, data] = state.members;
    this.array = arrayOf(data, dtype, shape, isFortran === true || isFortran === 1);
  }
}

/** Each byte as the character of its number. */
export function latin1(octets: Uint8Array<ArrayBuffer>): string {
  const parts: string[] = [];
  for (let k = 0; k < octets.length; k += SLICE) {
    parts.push(String.fromCharCode(...octets.subarray(k, k + SLICE)));
  }
  return parts.join("");
}

interface Allowed {
  counts: readonly number[];
  /** Null: it is no more than named. */
  make: ((parts: readonly unknown[]) => unknown) | null;
}

function arrayOf(data: unknown, dtype: unknown, shape: unknown, isFortran: boolean): NumpyArray {
  if (!(dtype instanceof PickledDtype)) {
    throw new RefusedError("an array has no dtype of plain numbers");
  }
  return plainArray(octetsOf(data), dtype.code, dtype.isLittleEndian, integersOf(shape, "an array's shape"), isFortran);
}

function integersOf(value: unknown, what: string): number[] {
  if (!(value instanceof PickledTuple) || !value.members.every((member) => Number.isSafeInteger(member))) {
    throw new RefusedError(`${what} is not a tuple of integers`);
  }
  return value.members as number[];
}

/** Bytes, which Python 2 has as texts. */
function octetsOf(value: unknown): Uint8Array<ArrayBuffer> {
  if (value instanceof Uint8Array) {
    return value as Uint8Array<ArrayBuffer>;
  }
  if (typeof value === "string") {
    const octets = new Uint8Array(value.length);
    let highest = 0;
    for (let k = 0; k < value.length; k++) {
      octets[k] = value.charCodeAt(k);
      highest = Math.max(highest, value.charCodeAt(k));
    }
    if (highest < 256) {
      return octets;
    }
  }
  throw new RefusedError("numbers are not given as bytes, as in an array of plain numbers");
}

function reconstruct([kind, shape, typecode]: readonly unknown[]): unknown {
  const isEmpty = shape instanceof PickledTuple && shape.members.length === 1 && shape.members[0] === 0;
  if (!(kind instanceof PickledGlobal) || kind.name !== "numpy.ndarray" || !isEmpty || latin1(octetsOf(typecode).subarray(0, 2)) !== "b") {
    throw new RefusedError("an array begins in a way that is not numpy's");
  }
  return new PickledArray();
}

function dtypeOf([code]: readonly unknown[]): unknown {
  if (typeof code !== "string" || !isPlain(code)) {
    const what = code === "O" || code === "O8" || code === "O4" ? "Python objects" : `the dtype ${String(code).slice(0, 20)}`;
    throw new RefusedError(`an array holds ${what}; only integers, floats of 2 to 8 bytes and booleans are read`);
  }
  return new PickledDtype(code);
}

function fromBuffer([data, dtype, shape, order, axes]: readonly unknown[]): unknown {
  if (order !== "C" && order !== "F" && order !== "K") {
    throw new RefusedError("an array is in an order that is not one of numpy's");
  }
  const array = arrayOf(data, dtype, shape, order === "F");
  if (axes === undefined) {
    return new PickledArray(array);
  }
  const axisOrder = integersOf(axes, "the order of an array's axes");
  if (axisOrder.length !== array.shape.length || !array.shape.every((_, axis) => axisOrder.includes(axis))) {
    throw new RefusedError("the order of an array's axes names other axes");
  }
  return new PickledArray(array.transposed(axisOrder));
}

function encode([text, encoding]: readonly unknown[]): unknown {
  if (typeof text !== "string" || (encoding !== "latin1" && encoding !== "latin-1")) {
    throw new RefusedError("bytes are given in a way that is not Python's");
  }
  return octetsOf(text);
}

const scalar = ([dtype, data]: readonly unknown[]): unknown => new PickledArray(arrayOf(data, dtype, new PickledTuple([]), false));
const noBytes = (): unknown => new Uint8Array(0);

/** What a pickle may name: with how many arguments it may be called, and what then comes of them. */
export const GLOBALS: ReadonlyMap<string, Allowed> = new Map<string, Allowed>([
  ["numpy.ndarray", { counts: [], make: null }],
  ["numpy.dtype", { counts: [3], make: dtypeOf }],
  // How protocols before 3, which have no bytes, write them.
  ["_codecs.encode", { counts: [2], make: encode }],
  ["__builtin__.bytes", { counts: [0], make: noBytes }],
  ["builtins.bytes", { counts: [0], make: noBytes }],
  // Before numpy 2 and since.
  ...["numpy.core", "numpy._core"].flatMap((core): [string, Allowed][] => [
    [`${core}.multiarray._reconstruct`, { counts: [3], make: reconstruct }],
    [`${core}.multiarray.scalar`, { counts: [2], make: scalar }],
    [`${core}.numeric._frombuffer`, { counts: [4, 5], make: fromBuffer }],
  ]),
]);
