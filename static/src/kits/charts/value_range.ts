/** The range of the axis of values. */

import { type Scale, scaleAround } from "../../ui/figure/scale";
import { placeFrom, type StyledCurve } from "./curve_data";
import { type RobustRange, robustRange } from "./robust_range";

export type Point = readonly [number, number];

/** Where the line between two points is at a time. */
export function between([t0, v0]: Point, [t1, v1]: Point, time: number, logarithmic: boolean): number {
  const part = (time - t0) / (t1 - t0);
  return logarithmic ? v0 * (v1 / v0) ** part : v0 * (1 - part) + v1 * part;
}

export interface ValueAxis {
  scale: Scale;
  /** How many points lie beyond it; they are marked at its edges. */
  outside: number;
}

/**
 * The axis of the visible curves between two times. Without `full`, points far from nearly all others do not stretch it; on a logarithmic
 * axis this is judged by their logarithms, and what is not positive has no place.
 */
export function valueAxis(
  curves: readonly StyledCurve[],
  [from, to]: readonly [number, number],
  logarithmic: boolean,
  full: boolean,
): ValueAxis {
  const lines = curves.flatMap((curve) => linesOf(curve, from, to, logarithmic));
  const range = full ? wholeRange(lines) : robustRange(lines);
  const ends = range === null ? [] : [range.low, range.high].map((value) => (logarithmic ? 10 ** value : value));
  return { scale: scaleAround(ends, logarithmic), outside: range === null ? 0 : range.below + range.above };
}

interface Lines {
  from: number;
  to: number;
  logarithmic: boolean;
  lines: readonly Float64Array[];
}

/** What was read last of each curve: another one that is hidden changes nothing of it. */
const read = new WeakMap<StyledCurve, Lines>();

function linesOf(curve: StyledCurve, from: number, to: number, logarithmic: boolean): readonly Float64Array[] {
  let known = read.get(curve);
  if (known?.from !== from || known.to !== to || known.logarithmic !== logarithmic) {
    known = { from, to, logarithmic, lines: readLines(curve, from, to, logarithmic) };
    read.set(curve, known);
  }
  return known.lines;
}

/** The values of a curve and of its band, or their logarithms: at its points, the last of several at one time, and where its line is cut. */
function readLines({ t, v, absent, band }: StyledCurve, from: number, to: number, logarithmic: boolean): Float64Array[] {
  const [first, last] = [placeFrom(t, from), placeAfter(t, to)];
  return [v, ...(band === undefined ? [] : [band.low, band.high])].map((values) => {
    const at = (k: number): number => {
      const value = absent?.[k] === 1 || t[k + 1] === t[k] ? NaN : values[k]!;
      return logarithmic ? (value > 0 ? Math.log10(value) : NaN) : value;
    };
    const cut = (k: number, time: number): number =>
      k > 0 && k < t.length && t[k] !== time ? between([t[k - 1]!, at(k - 1)], [t[k]!, at(k)], time, false) : NaN;
    const line = new Float64Array(last - first + 2);
    for (let k = first; k < last; k++) {
      line[k - first] = at(k);
    }
    line.set([cut(first, from), cut(last, to)], last - first);
    return line;
  });
}

function placeAfter(t: ArrayLike<number>, time: number): number {
  let place = placeFrom(t, time);
  while (place < t.length && t[place] === time) {
    place += 1;
  }
  return place;
}

function wholeRange(lines: readonly Float64Array[]): RobustRange | null {
  let [low, high] = [Infinity, -Infinity];
  for (const line of lines) {
    for (const value of line) {
      // Infinities have no height.
      if (value < low && value > -Infinity) {
        low = value;
      }
      if (value > high && value < Infinity) {
        high = value;
      }
    }
  }
  return high < low ? null : { low, high, below: 0, above: 0 };
}
