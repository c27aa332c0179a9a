/** The colours of histograms over time, as the theme has them. */

import type { Colors } from "./drawing";

const SHADES = 256;
let known: { theme: string; colors: Colors } | null = null;

/** Read once for each theme. */
export function colorsOf(element: Element, theme: string): Colors {
  if (known?.theme !== theme) {
    const style = getComputedStyle(element);
    const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    known = {
      theme,
      colors: {
        ramp: rampBetween(read("surface"), read("density")),
        axis: read("line"),
        line: read("density-line"),
        extreme: read("text-soft"),
        marked: read("selected"),
        hovered: read("text"),
        special: read("bad"),
      },
    };
  }
  return known.colors;
}

/** From one colour to another, both written as `#rrggbb`. */
export function rampBetween(from: string, to: string): Uint8ClampedArray {
  const [low, high] = [channels(from), channels(to)];
  const ramp = new Uint8ClampedArray(SHADES * 4);
  for (let k = 0; k < SHADES; k++) {
    for (let c = 0; c < 3; c++) {
      ramp[k * 4 + c] = low[c]! + ((high[c]! - low[c]!) * k) / (SHADES - 1);
    }
    ramp[k * 4 + 3] = 255;
  }
  return ramp;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16) || 0);
}
