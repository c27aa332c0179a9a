/** Numbers of every dtype that a recording may hold. */

import { DamagedBundleError } from "../format/errors";
import type { LaneWidth } from "../format/types";

/** A number; a bigint only where a 64-bit integer is too large to be one. */
export type Value = number | bigint;

interface ElementType {
  width: LaneWidth;
  read: (view: DataView, offset: number) => Value;
}

const ELEMENT_TYPES: Readonly<Record<string, ElementType>> = {
  F64: { width: 8, read: (view, offset) => view.getFloat64(offset, true) },
  F32: { width: 4, read: (view, offset) => view.getFloat32(offset, true) },
  F16: { width: 2, read: (view, offset) => halfToNumber(view.getUint16(offset, true)) },
  BF16: { width: 2, read: (view, offset) => bfloatToNumber(view.getUint16(offset, true)) },
  I64: { width: 8, read: (view, offset) => narrow(view.getBigInt64(offset, true)) },
  I32: { width: 4, read: (view, offset) => view.getInt32(offset, true) },
  I16: { width: 2, read: (view, offset) => view.getInt16(offset, true) },
  I8: { width: 1, read: (view, offset) => view.getInt8(offset) },
  U64: { width: 8, read: (view, offset) => narrow(view.getBigUint64(offset, true)) },
  U32: { width: 4, read: (view, offset) => view.getUint32(offset, true) },
  U16: { width: 2, read: (view, offset) => view.getUint16(offset, true) },
  U8: { width: 1, read: (view, offset) => view.getUint8(offset) },
  BOOL: { width: 1, read: (view, offset) => view.getUint8(offset) },
};

/** How elements of a stored dtype are read. Throws `DamagedBundleError` for a dtype that arrays do not have. */
export function elementType(dtype: string): ElementType {
  const type = Object.hasOwn(ELEMENT_TYPES, dtype) ? ELEMENT_TYPES[dtype] : undefined;
  if (type === undefined) {
    throw new DamagedBundleError(`The bundle holds numbers of the unknown type ${dtype}.`);
  }
  return type;
}

/** IEEE 754 half precision: 1 sign, 5 exponent, 10 fraction bits. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) {
    return sign * fraction * 2 ** -24;
  }
  if (exponent === 0x1f) {
    return fraction === 0 ? sign * Infinity : NaN;
  }
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const BFLOAT_VIEW = new DataView(new ArrayBuffer(4));

/** A bfloat16 is the upper half of a float32. */
export function bfloatToNumber(bits: number): number {
  BFLOAT_VIEW.setUint16(0, bits);
  return BFLOAT_VIEW.getFloat32(0);
}

function narrow(value: bigint): Value {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
