/** Colours for values from -1 to 1: viridis, which is ordered by lightness and readable with every kind of colour blindness. */

export const VIRIDIS = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [109, 205, 89],
  [180, 222, 44],
  [253, 231, 37],
] as const;

/** How a value is marked besides its colour. */
type Mark = "none" | "above" | "below" | "nan";

export interface Swatch {
  /** Null for NaN, which has no colour. */
  color: string | null;
  mark: Mark;
}

export function swatchOf(value: number): Swatch {
  if (Number.isNaN(value)) {
    return { color: null, mark: "nan" };
  }
  const clipped = Math.max(-1, Math.min(1, value));
  return { color: colorAt(VIRIDIS, (clipped + 1) / 2), mark: value > 1 ? "above" : value < -1 ? "below" : "none" };
}

/** Blue below nothing, orange above it: differences, for every kind of colour blindness too. */
const DIVERGING = [
  [5, 71, 138],
  [91, 155, 208],
  [238, 238, 238],
  [235, 151, 74],
  [150, 62, 0],
] as const;

/** The colour of a difference from -1 to 1. */
export function divergingColor(value: number): string {
  return colorAt(DIVERGING, (value + 1) / 2);
}

function colorAt(stops: Stops, position: number): string {
  return `rgb(${channelsAt(stops, position).join(", ")})`;
}

/** Colours in equal distances, as their channels. */
export type Stops = readonly (readonly [red: number, green: number, blue: number])[];

/** The colour at `position`, from 0 to 1. */
export function channelsAt(stops: Stops, position: number): Stops[number] {
  const place = position * (stops.length - 1);
  const k = Math.min(stops.length - 2, Math.floor(place));
  const [low, high] = [stops[k]!, stops[k + 1]!];
  const channel = (c: 0 | 1 | 2): number => Math.round(low[c] + (high[c] - low[c]) * (place - k));
  return [channel(0), channel(1), channel(2)];
}
