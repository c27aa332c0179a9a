/** Scales of figures: where a number is on an axis, and which numbers are written beside it. */

import { brief } from "../text/format";

export interface Scale {
  low: number;
  high: number;
  logarithmic: boolean;
  /** The place of a number, from 0 at `low` to 1 at `high`. */
  place: (value: number) => number;
}

export function scaleOf(low: number, high: number, logarithmic: boolean): Scale {
  const on = logarithmic ? Math.log10 : (value: number): number => value;
  // Halves, since the difference of two finite numbers may be infinite.
  const [first, range] = [on(low) / 2, on(high) / 2 - on(low) / 2];
  return { low, high, logarithmic, place: (value) => (range > 0 ? (on(value) / 2 - first) / range : 0.5) };
}

/** Slightly beyond the smallest and largest numbers, so that no mark lies on the border; only positive ones if logarithmic. */
export function scaleAround(values: readonly number[], logarithmic: boolean): Scale {
  const fitting = values.filter((value) => Number.isFinite(value) && (!logarithmic || value > 0));
  const low = fitting.reduce((a, b) => Math.min(a, b), Infinity);
  const high = fitting.reduce((a, b) => Math.max(a, b), -Infinity);
  if (fitting.length === 0) {
    return logarithmic ? scaleOf(0.1, 10, true) : scaleOf(0, 1, false);
  }
  if (logarithmic) {
    const factor = high > low ? (high / low) ** MARGIN : 2;
    return scaleOf(Math.max(Number.MIN_VALUE, low / factor), Math.min(Number.MAX_VALUE, high * factor), true);
  }
  const margin = high > low ? (high / 2 - low / 2) * 2 * MARGIN : Math.abs(low) / 10 || 1;
  return scaleOf(Math.max(-Number.MAX_VALUE, low - margin), Math.min(Number.MAX_VALUE, high + margin), false);
}

const MARGIN = 0.05;

/** Over more decades, lines between powers of ten are too many. */
const MOST_DECADES = 6;

/** The lines of a logarithmic scale: its ticks, and, unless it is long, every other digit of each power of ten. */
export function logarithmicLines(scale: Scale, most: number): number[] {
  const ticks = ticksOf(scale, most);
  const [first, last] = [Math.floor(Math.log10(scale.low)), Math.floor(Math.log10(scale.high))];
  if (Math.log10(scale.high) - Math.log10(scale.low) > MOST_DECADES) {
    return ticks;
  }
  const minor = Array.from({ length: 9 * (last - first + 1) }, (_, k) => Number(`${(k % 9) + 1}e${first + Math.floor(k / 9)}`));
  return [...new Set([...ticks, ...minor.filter((value) => value >= scale.low && value <= scale.high)])].sort((a, b) => a - b);
}

/** The ticks of an axis as text, all in one notation: with exponents as soon as one of them needs one. */
export function tickTexts(ticks: readonly number[]): string[] {
  const hasExponents = ticks.some((tick) => brief(tick).includes("e"));
  return ticks.map((tick) => {
    // Ticks are round: digits further back come from the arithmetic.
    const round = Number(tick.toPrecision(12));
    return hasExponents && round !== 0 ? round.toExponential() : String(round);
  });
}

const STEPS = [1, 2, 5, 10];

/** Round numbers on a scale, about `most` of them. */
export function ticksOf({ low, high, logarithmic }: Scale, most: number): number[] {
  return logarithmic ? logarithmicTicks(low, high, most) : straightTicks(low, high, most);
}

function straightTicks(low: number, high: number, most: number): number[] {
  const wanted = high / most - low / most || 1;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = STEPS.find((candidate) => candidate * power >= wanted * (1 - 1e-9))! * power;
  if (!Number.isFinite(step) || step === 0) {
    return [low, high];
  }
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && ticks.length <= 2 * most; k++) {
    ticks.push(k === 0 ? 0 : Number((k * step).toPrecision(12)));
  }
  return ticks;
}

/** Powers of ten; on a short scale numbers between them too. */
function logarithmicTicks(low: number, high: number, most: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  if (last - first < 1) {
    const within = Array.from({ length: last - first + 3 }, (_, k) => first - 1 + k).flatMap((power) =>
      [1, 2, 5].map((factor) => Number(`${factor}e${power}`)),
    );
    const ticks = within.filter((tick) => tick >= low && tick <= high);
    return ticks.length >= 2 ? ticks : straightTicks(low, high, most).filter((tick) => tick > 0);
  }
  const every = Math.ceil((last - first + 1) / most);
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, k) => Number(`1e${first + k * every}`));
}
