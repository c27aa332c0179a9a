/** Signs on the corners of a node: what is special about its number, what is wrong with it, and how it differs from another graph. */

import type { Badge } from "../../state/badges/badges";
import { badgeSign, type Sign } from "./badge_signs";
import type { Palette } from "./palette";
import { FONT_SIZE, type PlacedNode } from "./placement";
import type { Point } from "./routes";

export const FONT = "system-ui, sans-serif";

/** Pixels on the screen: signs must not vanish when the whole graph is in view. */
export const SMALLEST_SIGN = 8;

/** Has a place of its own: beside its node it covers none. */
export const FINDING = "finding";

/** Signs of what is a number like others. */
const SIGNS_OF_NUMBERS: ReadonlySet<string> = new Set(["0", "=", "<", ">"]);

/** Between a node and its sign of a finding, so that a dotted side can be seen. */
export const FINDING_DISTANCE = 2;

/** How much higher than its node that sign may be, so that it stays clear of those above and below. */
const HIGHEST_SIGN = 1.2;

/** Arrows end in the middle of a side. They are as high to either side of it. */
const ARROW_TIP = 5;

/** How far above its node the sign of a finding may begin. */
const ABOVE = 10;

/** Signs on corners are so much above the middle of theirs: a short name below two of them can be read. */
export const RAISED = 3;

/** What stands on the upper right corner of a node, from right to left: its number's sign, unless a badge is the same, and its badges. */
export function cornerSigns({ sign, badges }: { sign: string; badges: readonly Badge[] }, palette: Palette): Sign[] {
  const own = badges.filter((badge) => badge !== FINDING).map((badge) => badgeSign(badge, palette));
  return sign === "" || own.some(({ text }) => text === sign)
    ? own
    : [{ text: sign, fill: SIGNS_OF_NUMBERS.has(sign) ? palette.text : palette.bad }, ...own];
}

/** So much of the first sign on a corner is beside its node, so that the end of the name can be read. */
export const BESIDE = 2 / 3;

export function paintCorner(
  context: CanvasRenderingContext2D,
  node: PlacedNode,
  signs: readonly Sign[],
  palette: Palette,
  zoom: number,
): void {
  const size = signSize(zoom);
  let right = node.x + node.width / 2;
  for (const [k, sign] of signs.entries()) {
    const width = signWidth(context, sign.text, size);
    right += k === 0 ? width * BESIDE : 0;
    paintSign(context, [right - width / 2, node.y - node.height / 2 - RAISED], sign, palette, size);
    right -= width + size / 10;
  }
}

/** A label on the upper left corner. */
export function paintMark(context: CanvasRenderingContext2D, node: PlacedNode, sign: Sign, palette: Palette, zoom: number): void {
  const size = signSize(zoom);
  const inwards = signWidth(context, sign.text, size) / 3;
  paintSign(context, [node.x - node.width / 2 + inwards, node.y - node.height / 2 - RAISED], sign, palette, size);
}

/** The upper edge of the sign of a finding: it ends above the tips of arrows unless it is too large for that. */
export function topOfFinding({ y, height }: Pick<PlacedNode, "y" | "height">, ofSign: number): number {
  return Math.max(y - ARROW_TIP - ofSign, y - height / 2 - ABOVE);
}

/** The sign of a finding, beside the upper left corner: there it covers no other node. */
export function paintFinding(context: CanvasRenderingContext2D, node: PlacedNode, palette: Palette, zoom: number): void {
  const size = Math.min(signSize(zoom), (node.height * HIGHEST_SIGN) / SIGN_HEIGHT);
  const sign = badgeSign(FINDING, palette);
  const x = node.x - node.width / 2 - FINDING_DISTANCE - signWidth(context, sign.text, size) / 2;
  const y = topOfFinding(node, size * SIGN_HEIGHT) + (size * SIGN_HEIGHT) / 2;
  paintSign(context, [x, y], sign, palette, size);
}

/** How high the block of a sign is, for letters of size 1. */
const SIGN_HEIGHT = 1.35;

/** Letters around a place. */
export function paintSign(context: CanvasRenderingContext2D, [x, y]: Point, { text, fill }: Sign, palette: Palette, size: number): void {
  const [width, height] = [signWidth(context, text, size), size * SIGN_HEIGHT];
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = fill;
  context.fillRect(x - width / 2, y - height / 2, width, height);
  context.fillStyle = palette.background;
  context.fillText(text, x, y + size * 0.05);
}

/** Letters stay readable when the graph is small. */
export function signSize(zoom: number): number {
  return Math.max(FONT_SIZE - 2, SMALLEST_SIGN / zoom);
}

/** Sets the font, too. */
function signWidth(context: CanvasRenderingContext2D, text: string, size: number): number {
  context.font = `700 ${size}px ${FONT}`;
  return context.measureText(text).width + size * 0.7;
}
