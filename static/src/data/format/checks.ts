/** Checks of untrusted JSON. Each takes a value and where it is, and returns the value typed or throws `DamagedBundleError`. */

import { DamagedBundleError } from "./errors";

export type Check<T> = (value: unknown, where: string) => T;

/** What a check returns. */
export type Checked<C> = C extends Check<infer T> ? T : never;

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

/** One of a few whole numbers. */
export function numberAmong(...allowed: readonly number[]): Check<number> {
  return (value, where) => (allowed.includes(value as number) ? (value as number) : fail(where, `one of ${allowed.join(", ")}`));
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
  return also(list(integer(0, count - 1)), checkAscending);
}

export function checkAscending(numbers: readonly number[], where: string): void {
  if (numbers.some((number, k) => k > 0 && number <= (numbers[k - 1] ?? 0))) {
    fail(where, "in ascending order");
  }
}

/** Number of rows of a table given by columns: the length of its first one. */
export function rowsOf(columns: Record<string, unknown>, first: string, where: string): number {
  const value = columns[first];
  return Array.isArray(value) ? value.length : fail(`${where}.${first}`, "a list");
}

/** A member of an object that may be missing, or the members of a column that may be, and what stands in its place. */
interface Optional<T> {
  check: Check<T>;
  missing: T;
}

export function optional<T>(check: Check<T>, missing: T): Optional<T> {
  return { check, missing };
}

type Fields = Readonly<Record<string, Check<unknown> | Optional<unknown>>>;

type Of<Field> = Field extends Check<infer T> ? T : Field extends Optional<infer T> ? T : never;

/** An object with these members; others are left out. The members of the index are named without what they are in. */
export function record<F extends Fields>(fields: F): Check<{ -readonly [Key in keyof F]: Of<F[Key]> }> {
  const known = Object.entries(fields);
  return (value, where) => {
    const given = object(value, where);
    const read = ([key, field]: (typeof known)[number]): [string, unknown] => {
      const place = where === "" ? key : `${where}.${key}`;
      return [key, typeof field === "function" ? field(given[key], place) : field.check(given[key] ?? field.missing, place)];
    };
    return Object.fromEntries(known.map(read)) as { [Key in keyof F]: Of<F[Key]> };
  };
}

/** A table by columns, which are as long as its `first` one. `columns` checks their members, given how many rows there are. */
export function table<F extends Fields>(
  first: keyof F & string,
  columns: (rows: number) => F,
): Check<{ -readonly [Key in keyof F]: Of<F[Key]>[] }> {
  return (value, where) => {
    const given = object(value, where);
    const rows = rowsOf(given, first, where);
    const read = ([key, field]: [string, Fields[string]]): [string, unknown[]] => {
      if (typeof field !== "function" && given[key] === undefined) {
        return [key, new Array<unknown>(rows).fill(field.missing)];
      }
      return [key, column(typeof field === "function" ? field : field.check, rows)(given[key], `${where}.${key}`)];
    };
    return Object.fromEntries(Object.entries(columns(rows)).map(read)) as { [Key in keyof F]: Of<F[Key]>[] };
  };
}

/** A check that goes on with `verify`, which calls `fail` where the parts of a value do not fit one another. */
export function also<T>(check: Check<T>, verify: (value: T, where: string) => void): Check<T> {
  return (value, where) => {
    const checked = check(value, where);
    verify(checked, where);
    return checked;
  };
}
