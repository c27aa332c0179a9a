/** The colours of histograms over time, as the theme has them. */

import { themeColor } from "../../ui/theme";
import type { Colors } from "./history_layout";

const SHADES = 256;
const OPAQUE = 0xff000000;
let known: { theme: string; colors: Colors } | null = null;

/** Read once for each theme. */
export function colorsOf(theme: string): Colors {
  if (known?.theme !== theme) {
    known = { theme, colors: panelColors(themeColor) };
  }
  return known.colors;
}

/** Given the colours of a theme by their names, written as `#rrggbb`. */
export function panelColors(read: (name: string) => string): Colors {
  return {
    ramp: rampBetween(read("surface"), read("density")),
    axis: pixelOf(channels(read("line"))),
    extreme: pixelOf(channels(read("text-soft"))),
    special: pixelOf(channels(read("bad"))),
    line: read("density-line"),
  };
}

/** From one colour to another. */
function rampBetween(from: string, to: string): Uint32Array {
  const [low, high] = [channels(from), channels(to)];
  return Uint32Array.from({ length: SHADES }, (_, k) =>
    pixelOf(low.map((channel, c) => Math.round(channel + ((high[c]! - channel) * k) / (SHADES - 1)))),
  );
}

function channels(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16) || 0);
}

function pixelOf([red, green, blue]: readonly number[]): number {
  return (OPAQUE | (blue! << 16) | (green! << 8) | red!) >>> 0;
}
