/** Checks of untrusted JSON. Each takes a value and where it is, and returns the value typed or throws `DamagedBundleError`. */

import { DamagedBundleError } from "./errors";

type Check<T> = (value: unknown, where: string) => T;

export function fail(where: string, expected: string): never {
  throw new DamagedBundleError(`${where} should be ${expected}.`);
}

export function object(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    fail(where, "an object");
  }
  return value as Record<string, unknown>;
}

export function text(value: unknown, where: string): string {
  return typeof value === "string" ? value : fail(where, "a string");
}

export function flag(value: unknown, where: string): boolean {
  return typeof value === "boolean" ? value : fail(where, "true or false");
}

/** A whole number from `low` to `high`, both included. */
export function integer(low: number, high: number = Number.MAX_SAFE_INTEGER): Check<number> {
  return (value, where) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= low && value <= high
      ? value
      : fail(where, `a whole number from ${low} to ${high}`);
}

const NON_FINITE: ReadonlyMap<unknown, number> = new Map([
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/** A number, or one of the three texts that stand for the numbers that JSON does not have. */
export function number(value: unknown, where: string): number {
  return typeof value === "number" ? value : (NON_FINITE.get(value) ?? fail(where, "a number"));
}

export function orNull<T>(check: Check<T>): Check<T | null> {
  return (value, where) => (value === null || value === undefined ? null : check(value, where));
}

export function oneOf<T extends string>(allowed: readonly T[]): Check<T> {
  return (value, where) => ((allowed as readonly unknown[]).includes(value) ? (value as T) : fail(where, `one of ${allowed.join(", ")}`));
}

/** A member's place is put into words only for an error: lists are long. */
export function list<T>(check: Check<T>): Check<T[]> {
  const checkMember = (item: unknown, k: number, where: string): T => {
    try {
      return check(item, where);
    } catch {
      return check(item, `${where}[${k}]`);
    }
  };
  return (value, where) => (Array.isArray(value) ? value.map((item, k) => checkMember(item, k, where)) : fail(where, "a list"));
}

/** A list of exactly `length` members. */
export function column<T>(check: Check<T>, length: number): Check<T[]> {
  const checkList = list(check);
  return (value, where) => {
    if (!Array.isArray(value) || value.length !== length) {
      fail(where, `a list of ${length}`);
    }
    return checkList(value, where);
  };
}

/** A list of positions below `count`, each greater than the one before. */
export function ascending(count: number): Check<number[]> {
  const checkList = list(integer(0, count - 1));
  return (value, where) => {
    const positions = checkList(value, where);
    if (positions.some((position, k) => k > 0 && position <= (positions[k - 1] ?? 0))) {
      fail(where, "in ascending order");
    }
    return positions;
  };
}

/** Number of rows of a table given by columns: the length of its first one. */
export function rowsOf(table: Record<string, unknown>, first: string, where: string): number {
  const value = table[first];
  return Array.isArray(value) ? value.length : fail(`${where}.${first}`, "a list");
}
