/** Colours for values from -1 to 1: viridis, which is ordered by lightness and readable with every kind of colour blindness. */

export const VIRIDIS = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37],
] as const;

/** How a value is marked besides its colour. */
export type Mark = "none" | "above" | "below" | "nan";

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
  return { color: viridis((clipped + 1) / 2), mark: value > 1 ? "above" : value < -1 ? "below" : "none" };
}

/** The colour at `position`, from 0 to 1. */
function viridis(position: number): string {
  const place = position * (VIRIDIS.length - 1);
  const k = Math.min(VIRIDIS.length - 2, Math.floor(place));
  const [low, high] = [VIRIDIS[k]!, VIRIDIS[k + 1]!];
  const channel = (c: 0 | 1 | 2): number => Math.round(low[c] + (high[c] - low[c]) * (place - k));
  return `rgb(${channel(0)}, ${channel(1)}, ${channel(2)})`;
}
