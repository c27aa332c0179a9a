/** NumPy's file format for one array, version 1.0. */

import { bfloatToNumber } from "./numbers";

/** NumPy's names of the stored types. It has none for bfloat16, whose numbers are written as float32, which holds them exactly. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  F64: "<f8",
  F32: "<f4",
  F16: "<f2",
  BF16: "<f4",
  I64: "<i8",
  I32: "<i4",
  I16: "<i2",
  I8: "|i1",
  U64: "<u8",
  U32: "<u4",
  U16: "<u2",
  U8: "|u1",
  BOOL: "|b1",
};

/** Where the data begins must be a multiple of this. */
const ALIGNMENT = 64;

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0];
const LENGTH_BYTES = 2;

/** The parts of a file with values of a stored type: its header and its data. `bytes` are the values as stored, little-endian. */
export function npyFile(bytes: Uint8Array<ArrayBuffer>, dtype: string, shape: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const description = `{'descr': '${DESCRIPTIONS[dtype] ?? "|u1"}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const before = MAGIC.length + LENGTH_BYTES;
  const length = Math.ceil((before + description.length + 1) / ALIGNMENT) * ALIGNMENT - before;
  const header = new Uint8Array(before + length).fill(0x20);
  header.set(MAGIC);
  new DataView(header.buffer).setUint16(MAGIC.length, length, true);
  header.set(new TextEncoder().encode(description), before);
  header[header.length - 1] = 0x0a;
  return [header, data(bytes, dtype)];
}

function data(bytes: Uint8Array<ArrayBuffer>, dtype: string): Uint8Array<ArrayBuffer> {
  if (dtype === "BOOL") {
    return bytes.map((byte) => (byte === 0 ? 0 : 1));
  }
  if (dtype !== "BF16") {
    return bytes;
  }
  const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wide = new Float32Array(bytes.length / 2);
  for (let k = 0; k < wide.length; k++) {
    wide[k] = bfloatToNumber(from.getUint16(2 * k, true));
  }
  return new Uint8Array(wide.buffer);
}

const LONGEST_PART = 60;

/** A name for a file, of parts that are not too long: what some system does not allow in names becomes `_`. */
export function fileName(parts: readonly string[], ending: string): string {
  const name = parts
    .map((part) => part.replace(/[^A-Za-z0-9._+-]+/g, "_").slice(0, LONGEST_PART))
    .join("-")
    .replace(/^[._]+/, "");
  return `${name || "values"}.${ending}`;
}
