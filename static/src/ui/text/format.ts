/** Numbers and names as text. */

import { indexOf } from "../../data/arrays/index_in_shape";
import type { Value } from "../../data/arrays/numbers";
import type { SourceLine, Trial } from "../../data/format/types";

/** Significant digits of a number that is not shown in full. */
const DIGITS = 4;

const INTEGER_DTYPE = /^([IU](8|16|32|64)|BOOL)$/;

/** Below and from there on, numbers have an exponent. */
const SMALLEST_FIXED = 1e-3;
const LARGEST_FIXED = 1e6;

export function isIntegerDtype(dtype: string): boolean {
  return INTEGER_DTYPE.test(dtype);
}

/**
 * A number of a column, or of a cell of a picture, with four significant digits, in the notation that fits it: `0.2500`, `-3`, `6.700e-4`, `NaN`, `+inf`. Whole numbers keep all
 * digits in front of the point, and only they have none behind it.
 */
export function numberText(value: Value, dtype: string): string {
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (!Number.isFinite(value)) {
    return nonFinite(value);
  }
  const size = Math.abs(value);
  if (isIntegerDtype(dtype) || (Number.isInteger(value) && size < LARGEST_FIXED)) {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (size < SMALLEST_FIXED || size >= LARGEST_FIXED) {
    return value.toExponential(DIGITS - 1);
  }
  // Of what it is rounded to: 9.9999 has one digit more before its point then.
  const power = Math.floor(Math.log10(Number(size.toPrecision(DIGITS))));
  return value.toFixed(Math.max(0, DIGITS - 1 - power));
}

/** The shortest text that gives the number back. */
export function exactText(value: Value, dtype: string): string {
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (!Number.isFinite(value)) {
    return nonFinite(value);
  }
  if (Object.is(value, -0)) {
    return "-0.0";
  }
  if (dtype === "F64" || Number.isInteger(value)) {
    return String(value);
  }
  for (let digits = 6; digits < 9; digits++) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) {
      return text;
    }
  }
  return String(Number(value.toPrecision(9)));
}

function nonFinite(value: number): string {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+inf" : "-inf";
}

/** A number in a sentence or a legend: the same digits, without zeros at their end. */
export function brief(value: number): string {
  const text = numberText(value, "");
  return /^-?[0-9.]+$/.test(text) ? String(Number(text)) : text.replace(/\.?0*e/, "e");
}

/** A count with its part of a whole, where it is neither nothing nor unknown of what: `3 (25 %)`, `12 (100 %)`. */
export function share(count: Value, whole: number | null): string {
  const part = Number(count) / (whole ?? 0);
  if (!(part > 0 && part <= 1)) {
    return grouped(count);
  }
  // What rounds to all or to nothing is neither.
  const percents = part < 0.001 ? "< 0.1" : part > 0.999 && part < 1 ? "> 99.9" : String(Number((100 * part).toPrecision(3)));
  return `${grouped(count)} (${percents} %)`;
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

/** How many values a tensor of a shape has. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}

export function shapeText(shape: readonly number[]): string {
  return shape.length === 0 ? "scalar" : shape.join(" \u00d7 ");
}

const OLD_SUFFIX = "*old";

/** A node's name for people: what comes from an earlier iteration is called so. */
export function nodeLabel(name: string): string {
  return name.endsWith(OLD_SUFFIX) ? `${name.slice(0, -OLD_SUFFIX.length)} (earlier)` : name;
}

/** What was recorded of a tensor, for people: the values of the forward pass are its values. */
export function recordingLabel(recording: string): string {
  return recording === "forward" ? "values" : recording;
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

/** `2026-01-02 03:04 UTC`; a text that is no date stays as it is. */
export function dateText(written: string): string {
  const date = new Date(written);
  return Number.isNaN(date.getTime()) ? written : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
