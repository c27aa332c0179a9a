/** Values as they come from chunks, without a bundle. */

import { GatheredValues } from "../../src/data/arrays/gathered_values";
import { NO_NUMBERS, type Numbers } from "../../src/data/arrays/lanes";

const ARRAYS = {
  F32: Float32Array,
  F64: Float64Array,
  I64: BigInt64Array,
  U64: BigUint64Array,
  I32: Int32Array,
  U8: Uint8Array,
  BOOL: Uint8Array,
  F16: Uint16Array,
  BF16: Uint16Array,
};

/** Numbers in parts of `perPart` elements; those in `missing` are not loaded until they are taken out of it. */
export function numbersIn(
  dtype: keyof typeof ARRAYS,
  values: readonly (number | bigint)[],
  perPart = 3,
  missing: Set<number> = new Set(),
): Numbers {
  const array = new (ARRAYS[dtype] as any)(values) as Float32Array<ArrayBuffer>;
  const bytes = new Uint8Array(array.buffer);
  const width = array.BYTES_PER_ELEMENT;
  return {
    ...NO_NUMBERS,
    length: values.length,
    dtype,
    parts: (start, end) =>
      Array.from({ length: Math.ceil(values.length / perPart) }, (_, part) => part)
        .map((part) => ({ chunk: part, start: Math.max(start, part * perPart), end: Math.min(end, (part + 1) * perPart) }))
        .filter((part) => part.end > part.start)
        .map((part) => ({
          ...part,
          bytes: () => (missing.has(part.chunk) ? undefined : bytes.slice(part.start * width, part.end * width)),
        })),
  };
}

/** All of them loaded. */
export function gathered(dtype: keyof typeof ARRAYS, values: readonly (number | bigint)[]): GatheredValues {
  const loaded = new GatheredValues(numbersIn(dtype, values));
  loaded.gather();
  return loaded;
}
