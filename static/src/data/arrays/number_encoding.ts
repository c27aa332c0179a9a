/** Numbers of every dtype that an array of NumPy can have, as bytes, and as a person types them. */

import { elementType, type Value } from "./numbers";

type Write = (view: DataView, offset: number, value: Value) => void;

const WRITE: Readonly<Record<string, Write>> = {
  F64: (view, offset, value) => view.setFloat64(offset, Number(value), true),
  F32: (view, offset, value) => view.setFloat32(offset, Number(value), true),
  F16: (view, offset, value) => view.setUint16(offset, numberToHalf(Number(value)), true),
  I64: (view, offset, value) => view.setBigInt64(offset, BigInt(value), true),
  I32: (view, offset, value) => view.setInt32(offset, Number(value), true),
  I16: (view, offset, value) => view.setInt16(offset, Number(value), true),
  I8: (view, offset, value) => view.setInt8(offset, Number(value)),
  U64: (view, offset, value) => view.setBigUint64(offset, BigInt(value), true),
  U32: (view, offset, value) => view.setUint32(offset, Number(value), true),
  U16: (view, offset, value) => view.setUint16(offset, Number(value), true),
  U8: (view, offset, value) => view.setUint8(offset, Number(value)),
  BOOL: (view, offset, value) => view.setUint8(offset, Number(value) === 0 ? 0 : 1),
};

/** The dtype of a tensor in an array of NumPy, which has no bfloat16 and no floats of eight bits: float32 holds all of these. */
export function arrayDtype(dtype: string): string {
  return dtype in WRITE ? dtype : "F32";
}

/** How a value of an array is written. The array has a dtype that `arrayDtype` gives. */
export function writerOf(dtype: string): { width: number; write: Write } {
  return { width: elementType(dtype).width, write: WRITE[dtype]! };
}

/** The smallest and the largest whole number of a dtype; undefined for floats. */
function boundsOf(dtype: string): readonly [bigint, bigint] | undefined {
  if (dtype === "BOOL") {
    return [0n, 1n];
  }
  const bits = BigInt(Number(dtype.slice(1)));
  if (dtype.startsWith("I")) {
    return [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  }
  return dtype.startsWith("U") ? [0n, 2n ** bits - 1n] : undefined;
}

const NON_FINITE: Readonly<Record<string, number>> = { nan: NaN, inf: Infinity, "+inf": Infinity, "-inf": -Infinity };

/**
 * The value of a dtype that is nearest to what has been typed, or a sentence that says what to type.
 *
 * NaN and infinities can be typed for floats. A finite number that becomes infinite in the dtype is wrong.
 */
export function typedValue(text: string, dtype: string): Value | { wrong: string } {
  const typed = text.trim().toLowerCase();
  const bounds = boundsOf(dtype);
  if (bounds !== undefined) {
    const [low, high] = bounds;
    // `BigInt` does not take a plus sign.
    const exact = /^[+-]?\d{1,20}$/.test(typed) ? BigInt(typed.replace(/^\+/, "")) : undefined;
    if (exact === undefined || exact < low || exact > high) {
      return { wrong: `Type a whole number from ${low} to ${high}.` };
    }
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
  }
  const number = NON_FINITE[typed] ?? (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(typed) ? Number(typed) : undefined);
  if (number === undefined) {
    return { wrong: "Type a number such as 1, -0.5, 1e-3, nan or inf." };
  }
  const stored = asStored(number, dtype);
  return Number.isFinite(number) && !Number.isFinite(stored) ? { wrong: `${text.trim()} is too large for this tensor.` } : stored;
}

const SCRATCH = new DataView(new ArrayBuffer(8));

function asStored(value: number, dtype: string): number {
  WRITE[dtype]!(SCRATCH, 0, value);
  return Number(elementType(dtype).read(SCRATCH, 0));
}

/** The bits of a number in IEEE 754 half precision. It is rounded to the nearest such number, and a tie to the even one. */
export function numberToHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) {
    return 0x7e00;
  }
  if (size < 2 ** -14) {
    return sign | rounded(size * 2 ** 24);
  }
  let exponent = Math.min(16, Math.floor(Math.log2(size)));
  // A logarithm may be rounded across a power of two.
  exponent += size >= 2 ** (exponent + 1) ? 1 : size < 2 ** exponent ? -1 : 0;
  // A fraction that is rounded up to the next power of two raises the exponent by itself.
  return sign | Math.min(0x7c00, ((exponent + 15) << 10) + rounded(Math.min(size / 2 ** (exponent - 10), 2048)) - 1024);
}

function rounded(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
