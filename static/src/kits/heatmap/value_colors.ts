/** Colours for values: how a value becomes a place on a scale, and the 256 colours of the scale. */

import { channelsAt, type Stops, VIRIDIS } from "../../ui/color_scale";

export const SCALES = ["diverging", "sequential", "log"] as const;
export type Scale = (typeof SCALES)[number];

/** The smallest and the largest value that a scale tells apart. */
export interface Extent {
  low: number;
  high: number;
}

/** Below this part of the largest magnitude, the symmetric logarithm is straight. */
const LINEAR_PART = 1e-3;

const COLORS = 256;

// From blue over nearly the page's own colour to red or orange; distinguishable with every kind of colour blindness.
const DIVERGING_ON_LIGHT: Stops = [
  [5, 48, 97],
  [33, 102, 172],
  [67, 147, 195],
  [146, 197, 222],
  [209, 229, 240],
  [247, 247, 247],
  [253, 219, 199],
  [244, 165, 130],
  [214, 96, 77],
  [178, 24, 43],
  [103, 0, 31],
];
const DIVERGING_ON_DARK: Stops = [
  [190, 220, 255],
  [126, 184, 247],
  [66, 140, 214],
  [42, 92, 148],
  [34, 58, 86],
  [38, 42, 48],
  [92, 52, 34],
  [156, 76, 32],
  [218, 118, 46],
  [250, 172, 104],
  [255, 222, 186],
];

/** The scale that fits an extent where none has been asked for: with a middle where there are values on both sides of zero. */
export function fittingScale({ low, high }: Extent): Scale {
  return low < 0 && high > 0 ? "diverging" : "sequential";
}

/** What an address says about the scale, or null. */
export function readScale(text: string | undefined): Scale | null {
  return SCALES.find((scale) => scale === text) ?? null;
}

/** Gives the place of a finite value on a scale, from 0 to 1 where it is within the extent. */
export function placeOnScale(scale: Scale, { low, high }: Extent): (value: number) => number {
  if (scale === "sequential") {
    const range = high - low;
    return range > 0 ? (value) => (value - low) / range : () => 0.5;
  }
  const limit = Math.max(Math.abs(low), Math.abs(high));
  if (!(limit > 0)) {
    return () => 0.5;
  }
  if (scale === "diverging") {
    return (value) => 0.5 + value / limit / 2;
  }
  const full = 2 * Math.log1p(1 / LINEAR_PART);
  return (value) => 0.5 + (Math.sign(value) * Math.log1p(Math.abs(value) / limit / LINEAR_PART)) / full;
}

/** The value at a place of a scale. */
export function valueOnScale(scale: Scale, { low, high }: Extent, place: number): number {
  if (scale === "sequential") {
    return low + place * (high - low);
  }
  const limit = Math.max(Math.abs(low), Math.abs(high));
  const side = 2 * place - 1;
  return scale === "diverging"
    ? side * limit
    : Math.sign(side) * limit * LINEAR_PART * Math.expm1(Math.abs(side) * Math.log1p(1 / LINEAR_PART));
}

/** The colours of a scale, one number each, as an `ImageData` holds them. */
export function colorsOf(scale: Scale, dark: boolean): Uint32Array {
  const stops = scale === "sequential" ? VIRIDIS : dark ? DIVERGING_ON_DARK : DIVERGING_ON_LIGHT;
  return Uint32Array.from({ length: COLORS }, (_, k) => pixel(channelsAt(stops, k / (COLORS - 1))));
}

/** Number of the colour at a place of the scale; what is beyond has the last one. */
export function colorNumber(place: number): number {
  const at = place * (COLORS - 1);
  return at <= 0 ? 0 : at >= COLORS - 1 ? COLORS - 1 : Math.floor(at + 0.5);
}

/** Looks up the sign, the exponent and five bits of the fraction of every float32. */
const LOOKED_UP_BITS = 14;

/**
 * Gives the number of the colour of a finite value: that at its place on the scale. A logarithm for each value would take longest, so
 * a table says at which colour to begin, and the values between colours, which are in ascending order, decide.
 */
export function colorNumbers(scale: Scale, extent: Extent): (value: number) => number {
  const place = placeOnScale(scale, extent);
  if (scale !== "log" || (extent.low === 0 && extent.high === 0)) {
    return (value) => colorNumber(place(value));
  }
  const bounds = Float64Array.from({ length: COLORS + 1 }, (_, k) => valueOnScale(scale, extent, (k - 0.5) / (COLORS - 1)));
  bounds[0] = -Infinity;
  bounds[COLORS] = Infinity;
  const from = (begin: number, value: number): number => {
    let number = begin;
    while (value < bounds[number]!) {
      number -= 1;
    }
    while (value >= bounds[number + 1]!) {
      number += 1;
    }
    return number;
  };
  const bits = new Uint32Array(1);
  const float = new Float32Array(bits.buffer);
  const begins = new Uint8Array(1 << LOOKED_UP_BITS);
  for (let key = 0, number = 0; key < begins.length; key++) {
    bits[0] = key << (32 - LOOKED_UP_BITS);
    const value = float[0]!;
    number = value - value === 0 ? from(number, value) : number;
    begins[key] = number;
  }
  return (value) => {
    float[0] = value;
    return from(begins[bits[0]! >>> (32 - LOOKED_UP_BITS)]!, value);
  };
}

/** A colour as a pixel of an `ImageData`, read as a little-endian number. */
export function pixel([red, green, blue]: readonly [number, number, number]): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Whether dark text is readable on a pixel. */
export function isLight(color: number): boolean {
  return (color & 255) * 0.299 + ((color >> 8) & 255) * 0.587 + ((color >> 16) & 255) * 0.114 > 140;
}

export function cssColor(color: number): string {
  return `rgb(${color & 255}, ${(color >> 8) & 255}, ${(color >> 16) & 255})`;
}
