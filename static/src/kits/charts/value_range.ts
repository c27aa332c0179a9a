/** The range of the axis of values. */

import { type Scale, scaleAround } from "../../ui/figure/scale";
import { placeFrom, type StyledCurve } from "./curve_data";
import { OF_BANDS, type RobustRange, rangeBetween, robustRange } from "./robust_range";

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
  const all = curves.map((curve) => linesOf(curve, from, to, logarithmic));
  const range = full ? wholeRange(all.flatMap(partsOf), logarithmic) : rangeOf(all, logarithmic);
  const ends = range === null ? [] : [range.low, range.high];
  return { scale: scaleAround(ends, logarithmic), outside: range === null ? 0 : range.below + range.above };
}

/** What outliers do not stretch: neither those of lines, nor those of bands, which may take no part of a line out of sight. */
function rangeOf(all: readonly Parts[], logarithmic: boolean): RobustRange | null {
  const [lines, bands] = [all.flatMap(({ line }) => line), all.flatMap(({ band }) => band)];
  const ofLines = robustRange(lines, logarithmic);
  const ofBands = robustRange(bands, logarithmic, OF_BANDS);
  if (ofLines === null || ofBands === null) {
    return ofLines ?? ofBands;
  }
  return rangeBetween([...lines, ...bands], Math.min(ofLines.low, ofBands.low), Math.max(ofLines.high, ofBands.high), logarithmic);
}

/** The values of a curve, and those of its band. */
interface Parts {
  line: readonly Float64Array[];
  band: readonly Float64Array[];
}

function partsOf({ line, band }: Parts): Float64Array[] {
  return [...line, ...band];
}

interface Lines {
  from: number;
  to: number;
  lines: readonly Float64Array[];
}

/** What was read last of each curve: another one that is hidden changes nothing of it. */
const read = new WeakMap<StyledCurve, Lines>();

function linesOf(curve: StyledCurve, from: number, to: number, logarithmic: boolean): Parts {
  let known = read.get(curve);
  if (known?.from !== from || known.to !== to) {
    known = { from, to, lines: readLines(curve, from, to) };
    read.set(curve, known);
  }
  const [line, ...band] = known.lines.map((values, k) => [values, cutsOf(curve, k, from, to, logarithmic)]);
  return { line: line!, band: band.flat() };
}

/** The values of a curve and of its band at its points, the last of several at one time. */
function readLines(curve: StyledCurve, from: number, to: number): Float64Array[] {
  const [first, last] = [placeFrom(curve.t, from), placeAfter(curve.t, to)];
  return valuesOf(curve).map((values) => {
    const line = new Float64Array(last - first);
    for (let k = first; k < last; k++) {
      line[k - first] = valueAt(curve, values, k);
    }
    return line;
  });
}

/** The values of a curve or of an edge of its band, by their place in `valuesOf`, where the times that are shown cut the line. */
function cutsOf(curve: StyledCurve, part: number, from: number, to: number, logarithmic: boolean): Float64Array {
  const { t } = curve;
  const values = valuesOf(curve)[part]!;
  const ends = [
    [placeFrom(t, from), from],
    [placeAfter(t, to), to],
  ] as const;
  return Float64Array.from(ends, ([k, time]) => {
    const at = (place: number): Point => [t[place]!, valueAt(curve, values, place)];
    return k > 0 && k < t.length && t[k] !== time ? between(at(k - 1), at(k), time, logarithmic) : NaN;
  });
}

function valuesOf({ v, band }: StyledCurve): ArrayLike<number>[] {
  return [v, ...(band === undefined ? [] : [band.low, band.high])];
}

function valueAt({ t, absent }: StyledCurve, values: ArrayLike<number>, k: number): number {
  return absent?.[k] === 1 || t[k + 1] === t[k] ? NaN : values[k]!;
}

function placeAfter(t: ArrayLike<number>, time: number): number {
  let place = placeFrom(t, time);
  while (place < t.length && t[place] === time) {
    place += 1;
  }
  return place;
}

function wholeRange(lines: readonly Float64Array[], logarithmic: boolean): RobustRange | null {
  let [low, high] = [Infinity, -Infinity];
  const floor = logarithmic ? 0 : -Infinity;
  for (const line of lines) {
    for (const value of line) {
      // Infinities have no height.
      if (value < low && value > floor) {
        low = value;
      }
      if (value > high && value > floor && value < Infinity) {
        high = value;
      }
    }
  }
  return high < low ? null : { low, high, below: 0, above: 0 };
}
