/** The sign of a node that something is wrong with, as a figure: the same in every graph. */

import { element, type SvgElement, textElement } from "../../ui/figure/svg";
import type { Palette } from "./palette";

export const FINDING_SIGN = "!";

/** At a zoom of 1. */
export const FINDING_BLOCK = { width: 12, height: 15 };

const LETTER = 11;

/** With its upper left corner at a place. */
export function findingBlock(x: number, y: number, palette: Palette): SvgElement {
  const { width, height } = FINDING_BLOCK;
  const ink = { "font-weight": 700, "font-family": "system-ui, sans-serif", fill: palette.background, "text-anchor": "middle" };
  return element(
    "g",
    { class: "sign" },
    element("rect", { x, y, width, height, fill: palette.bad }),
    textElement(FINDING_SIGN, x + width / 2, y + height / 2 + LETTER * 0.36, LETTER, ink),
  );
}
