/** Numbers and names as text. */

import { indexOf } from "../../data/arrays/index_in_shape";
import type { Value } from "../../data/arrays/numbers";
import type { SourceLine, Trial } from "../../data/format/types";

/** Digits behind the point that a type of number can hold, in scientific notation. */
const DIGITS: Readonly<Record<string, number>> = { F64: 9, F32: 6, F16: 3, BF16: 2 };

const INTEGER_DTYPE = /^([IU](8|16|32|64)|BOOL)$/;

/** From here on, fixed notation shows digits that are not there. */
const LARGEST_FIXED = 1e15;

const FIXED_DIGITS = 6;

/** Below, fixed notation leaves fewer than four digits. */
const SMALLEST_FIXED = 1e-3;

export function isIntegerDtype(dtype: string): boolean {
  return INTEGER_DTYPE.test(dtype);
}

/** `0.250000`, `-3`, `NaN`, `+inf`; an exact zero is `0`, so that it differs from something very small. */
export function fixed(value: Value, dtype: string): string {
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (!Number.isFinite(value)) {
    return nonFinite(value);
  }
  if (value === 0) {
    return Object.is(value, -0) ? "-0" : "0";
  }
  if (isIntegerDtype(dtype)) {
    return String(value);
  }
  return Math.abs(value) < LARGEST_FIXED ? value.toFixed(FIXED_DIGITS) : scientific(value, dtype);
}

/** In the notation that shows more of its digits: fixed, or scientific for what is so small that fixed would show few or none. */
export function readable(value: Value, dtype: string): string {
  const size = Math.abs(Number(value));
  return size !== 0 && size < SMALLEST_FIXED && !isIntegerDtype(dtype) ? scientific(value, dtype) : fixed(value, dtype);
}

/** `2.500000e-01`, with the digits that the type can hold and at least two for the exponent. */
export function scientific(value: Value, dtype: string): string {
  const number = Number(value);
  if (!Number.isFinite(number)) {
    return nonFinite(number);
  }
  const [mantissa = "", exponent = "0"] = number.toExponential(DIGITS[dtype] ?? 6).split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${mantissa}e${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}

function nonFinite(value: number): string {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+inf" : "-inf";
}

/** A number in a sentence or a legend: short, but never wrong about what is not finite. */
export function brief(value: number): string {
  if (!Number.isFinite(value)) {
    return nonFinite(value);
  }
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(3) : String(Number(value.toPrecision(5)));
}

/** The text with a capital letter at its beginning. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The text with a full stop at its end, unless it ends as a sentence does. */
export function withStop(text: string): string {
  return text === "" || /[.!?]$/.test(text) ? text : `${text}.`;
}

/** A sentence: with a capital letter at its beginning, and a full stop at its end. */
export function sentence(text: string): string {
  return withStop(capital(text));
}

/** `1,234,567`. */
export function grouped(count: Value): string {
  return count.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(count)} ${count === 1 ? singular : plural}`;
}

const BYTE_UNITS = ["bytes", "kB", "MB", "GB", "TB"];

export function byteSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < BYTE_UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toPrecision(3)} ${BYTE_UNITS[unit]}`;
}

/** The index of value `k` in a tensor without its batch dimension: `3, 0, 7`. Row-major, empty for a single number. */
export function indexText(k: number, shape: readonly number[]): string {
  return indexOf(k, shape).join(", ");
}

/** The place of an index typed by a person, or null: `3, 0, 7`, or a plain place where the shape has one dimension. */
export function placeOfIndex(text: string, shape: readonly number[]): number | null {
  const parts = text.split(/[\s,;x]+/).filter((part) => part !== "");
  if (parts.length !== shape.length || !parts.every((part) => /^\d{1,15}$/.test(part))) {
    return null;
  }
  let place = 0;
  for (const [axis, size] of shape.entries()) {
    const position = Number(parts[axis]);
    if (position >= size) {
      return null;
    }
    place = place * size + position;
  }
  return place;
}

/** A line of the code, as in messages of Python's. */
export function sourceText({ file, line, function: name }: SourceLine): string {
  return `${file}:${line} in ${name}`;
}

export function shapeText(shape: readonly number[]): string {
  return shape.length === 0 ? "scalar" : shape.join(" \u00d7 ");
}

const OLD_SUFFIX = "*old";

/** A node's name for people: what comes from an earlier iteration is called so. */
export function nodeLabel(name: string): string {
  return name.endsWith(OLD_SUFFIX) ? `${name.slice(0, -OLD_SUFFIX.length)} (earlier)` : name;
}

/** A role for people. */
export function roleLabel(role: string): string {
  return role.replace(/__from_iteration_(\d+)$/, " (from iteration $1)").replace(/__from_initialization$/, " (initial value)");
}

/** Shortens a text in its middle, where names differ least. */
export function elided(text: string, longest: number): string {
  if (text.length <= longest) {
    return text;
  }
  const tail = Math.ceil((longest - 1) / 2);
  return `${text.slice(0, longest - 1 - tail)}\u2026${text.slice(text.length - tail)}`;
}

/** Tells the ranks of all trials apart. */
export function keyOf(trial: Trial): string {
  return `${trial.rank}/${trial.name}`;
}

/** A change as a percentage with its sign. */
export function percent(part: number): string {
  if (part === 0 || !Number.isFinite(part)) {
    return part === 0 ? "0 %" : brief(part);
  }
  return `${part < 0 ? "\u2212" : "+"}${brief(Number((Math.abs(part) * 100).toPrecision(3)))} %`;
}
