/** In which order values are listed: numbers are sorted digit by digit, as a million of them would keep a comparing sort busy for long. */

import type { GatheredValues } from "../../../data/arrays/gathered_values";
import { inParts, type Work } from "../../../ui/scheduling/time_slices";

export const ORDERS = ["ascending", "descending", "magnitude"] as const;
export type Order = (typeof ORDERS)[number];

export const ORDER_LABELS: Readonly<Record<Order, string>> = {
  ascending: "smallest first",
  descending: "largest first",
  magnitude: "largest magnitude first",
};

export function readOrder(text: string | undefined): Order | null {
  return ORDERS.find((order) => order === text) ?? null;
}

const RADIX_BITS = 16;
const RADIX = 1 << RADIX_BITS;

/** Keys of 32 or 64 bits: unsigned numbers in the wanted order, the lower halves first. */
type Keys = Uint32Array[];

/** The places of all values in an order. Equal values keep the order of their places, and NaN comes last. */
export function* sortedPlaces(values: GatheredValues, order: Order): Work<Uint32Array> {
  const keys = yield* values.dtype === "I64" || values.dtype === "U64" ? integerKeys(values, order) : floatKeys(values.numbers, order);
  let places = new Uint32Array(values.length);
  let spare = new Uint32Array(values.length);
  yield* inParts(values.length, (from, to) => {
    for (let k = from; k < to; k++) {
      places[k] = k;
    }
  });
  for (const words of keys) {
    for (const shift of [0, RADIX_BITS]) {
      yield* distribute(words, shift, places, spare);
      [places, spare] = [spare, places];
    }
  }
  return places;
}

/** One round of a radix sort, which keeps the order of equal digits. */
function* distribute(words: Uint32Array, shift: number, before: Uint32Array, after: Uint32Array): Work<void> {
  const next = new Uint32Array(RADIX + 1);
  yield* inParts(words.length, (from, to) => {
    for (let k = from; k < to; k++) {
      next[((words[k]! >>> shift) & (RADIX - 1)) + 1]! += 1;
    }
  });
  for (let digit = 1; digit <= RADIX; digit++) {
    next[digit]! += next[digit - 1]!;
  }
  yield* inParts(words.length, (from, to) => {
    for (let k = from; k < to; k++) {
      const place = before[k]!;
      after[next[(words[place]! >>> shift) & (RADIX - 1)]!++] = place;
    }
  });
}

/** The bits of a float are in the order of its magnitude; negative ones are turned round. */
function* floatKeys(numbers: Float32Array | Float64Array, order: Order): Work<Keys> {
  const isDouble = numbers instanceof Float64Array;
  const words = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.byteLength / 4);
  const [low, high] = [new Uint32Array(isDouble ? numbers.length : 0), new Uint32Array(numbers.length)];
  const invert = order === "ascending" ? 0 : 0xffffffff;
  yield* inParts(numbers.length, (from, to) => {
    for (let k = from; k < to; k++) {
      if (Number.isNaN(numbers[k])) {
        high[k] = 0xffffffff;
        continue;
      }
      // Both zeros are the same.
      const isZero = numbers[k] === 0;
      const top = isZero ? 0 : words[isDouble ? 2 * k + 1 : k]!;
      const flip = order === "magnitude" ? 0x80000000 : top >>> 31 === 1 ? 0xffffffff : 0x80000000;
      const positive = order === "magnitude" ? top & 0x7fffffff : top;
      high[k] = positive ^ flip ^ invert;
      if (isDouble) {
        low[k] = (isZero ? 0 : words[2 * k]!) ^ (flip === 0xffffffff ? flip : 0) ^ invert;
      }
    }
  });
  return isDouble ? [low, high] : [high];
}

/** Integers of 64 bits as two's complement, exactly. */
function* integerKeys(values: GatheredValues, order: Order): Work<Keys> {
  const words = new Uint32Array(values.bytes.buffer);
  const isSigned = values.dtype === "I64";
  const [low, high] = [new Uint32Array(values.length), new Uint32Array(values.length)];
  const invert = order === "ascending" ? 0 : 0xffffffff;
  yield* inParts(values.length, (from, to) => {
    for (let k = from; k < to; k++) {
      let [lower, upper] = [words[2 * k]!, words[2 * k + 1]!];
      if (order === "magnitude" && isSigned && upper >>> 31 === 1) {
        lower = (~lower + 1) >>> 0;
        upper = (~upper + (lower === 0 ? 1 : 0)) >>> 0;
      } else if (order !== "magnitude" && isSigned) {
        upper ^= 0x80000000;
      }
      low[k] = lower ^ invert;
      high[k] = upper ^ invert;
    }
  });
  return [low, high];
}
