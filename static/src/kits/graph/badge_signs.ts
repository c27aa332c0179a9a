/** The signs of badges, which say what is unusual about a node: the same in every graph. */

import type { Badge } from "../../state/badges/badges";
import { element, type SvgElement, textElement } from "../../ui/figure/svg";
import { textWidth } from "../../ui/figure/text";
import type { Palette } from "./palette";

export const BADGE_SIGNS: Readonly<Record<Badge, string>> = {
  finding: "!",
  nan: "NaN",
  "nan-gradient": "\u2207NaN",
  infinite: "\u221e",
  "infinite-gradient": "\u2207\u221e",
  "never-updated": "\u2016",
  zero: "0",
  "zero-gradient": "\u22070",
  "not-known": "?",
};

/** What may be meant so. */
const QUIET: ReadonlySet<Badge> = new Set(["zero", "zero-gradient", "not-known"]);

/** A text in a block. */
export interface Sign {
  text: string;
  fill: string;
}

export function badgeSign(badge: Badge, palette: Palette): Sign {
  return { text: BADGE_SIGNS[badge], fill: QUIET.has(badge) ? palette.text : palette.bad };
}

/** At a zoom of 1. */
export const BLOCK_HEIGHT = 15;
const NARROWEST = 12;
const LETTER = 11;

function blockWidth(text: string): number {
  return Math.max(NARROWEST, Math.ceil(textWidth(text, LETTER)) + 6);
}

/** How wide badges are side by side. */
export function badgesWidth(badges: readonly Badge[]): number {
  return badges.reduce((sum, badge) => sum + blockWidth(BADGE_SIGNS[badge]) + 1, -1);
}

/** Side by side, with their upper left corner at a place. */
export function badgeBlocks(badges: readonly Badge[], x: number, y: number, palette: Palette): SvgElement {
  let left = x;
  const ink = { "font-weight": 700, "font-family": "system-ui, sans-serif", fill: palette.background, "text-anchor": "middle" };
  return element(
    "g",
    { class: "sign" },
    ...badges.flatMap((badge) => {
      const { text, fill } = badgeSign(badge, palette);
      const width = blockWidth(text);
      const middle = left + width / 2;
      const block = element("rect", { x: left, y, width, height: BLOCK_HEIGHT, fill });
      left += width + 1;
      return [block, textElement(text, middle, y + BLOCK_HEIGHT / 2 + LETTER * 0.36, LETTER, ink)];
    }),
  );
}
