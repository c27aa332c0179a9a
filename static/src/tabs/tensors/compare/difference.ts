/** How far numbers are apart, element by element. */

import type { Numbers } from "../../../data/arrays/lanes";
import type { Value } from "../../../data/arrays/numbers";

/** By how much A differs from B, in total. */
export interface Difference {
  /** Elements that were compared. */
  count: number;
  /** Elements that are the same, NaN and NaN among them. */
  equal: number;
  /** Elements of which only one is finite, or which are infinities of different signs. */
  notFinite: number;
  /** The largest |A - B| of finite elements, and where it is; -1 where there is none. */
  largest: number;
  at: number;
  /** The mean of |A - B| over the finite elements; NaN without any. */
  mean: number;
}

/** `a - b`, exact for large integers; 0 where they are the same, infinities and NaN among them. */
export function differenceOf(a: Value, b: Value): number {
  if (typeof a === "bigint" || typeof b === "bigint") {
    return Number.isInteger(Number(a)) && Number.isInteger(Number(b)) ? Number(BigInt(a) - BigInt(b)) : Number(a) - Number(b);
  }
  return Object.is(a, b) || a === b ? 0 : a - b;
}

/** Whether two numbers differ by more than `tolerance` times the larger magnitude. NaN equals NaN. */
export function differs(a: Value, b: Value, tolerance: number): boolean {
  const difference = differenceOf(a, b);
  if (difference === 0) {
    return false;
  }
  const largest = Math.max(Math.abs(Number(a)), Math.abs(Number(b)));
  return !Number.isFinite(difference) || Math.abs(difference) > tolerance * largest;
}

/** Compares as many elements as both have; undefined while not all of them are loaded. */
export function compare(a: Numbers, b: Numbers): Difference | undefined {
  const count = Math.min(a.length, b.length);
  const result: Difference = { count, equal: 0, notFinite: 0, largest: 0, at: -1, mean: NaN };
  let [sum, finite] = [0, 0];
  for (let k = 0; k < count; k++) {
    const [first, second] = [a.at(k), b.at(k)];
    if (first === undefined || second === undefined) {
      return undefined;
    }
    const difference = Math.abs(differenceOf(first, second));
    if (!Number.isFinite(difference)) {
      result.notFinite += 1;
      continue;
    }
    result.equal += Number(difference === 0);
    finite += 1;
    sum += difference;
    if (result.at < 0 || difference > result.largest) {
      result.largest = difference;
      result.at = k;
    }
  }
  if (finite > 0) {
    result.mean = sum / finite;
  }
  return result;
}

/** Positions in the order of falling |a - b|; what is not finite on one side only comes first. Undefined while not all is loaded. */
export function byDifference(a: Numbers, b: Numbers): Uint32Array | undefined {
  const count = Math.min(a.length, b.length);
  const sizes = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    const [first, second] = [a.at(k), b.at(k)];
    if (first === undefined || second === undefined) {
      return undefined;
    }
    const size = Math.abs(differenceOf(first, second));
    sizes[k] = Number.isNaN(size) ? Infinity : size;
  }
  return Uint32Array.from(sizes, (_, k) => k).sort((x, y) => (sizes[x] === sizes[y] ? x - y : sizes[y]! > sizes[x]! ? 1 : -1));
}
