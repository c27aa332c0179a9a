/** The frame of a node: its sides, the letter of its type, and the nodes behind a group. */

import { type Emphasis, LABEL_SIZE } from "./labels";
import { FONT } from "./node_signs";
import type { Palette } from "./palette";
import { FONT_SIZE, type PlacedNode, TYPE_LETTERS } from "./placement";
import type { Point } from "./routes";

/** The room for a letter that is as high as `LABEL_SIZE`. */
const LETTER_WIDTH = 9;

const HATCH_DISTANCE = 6;

/** How far apart the nodes behind a group are. */
export const STACK_DISTANCE = 3;

const LINE_WIDTHS: Readonly<Record<Emphasis, number>> = { selected: 3.5, neighbour: 2.5, none: 1.25 };

/** A badge has no room if the name of a small node lies on the node. */
export function paintNode(
  context: CanvasRenderingContext2D,
  node: PlacedNode,
  emphasis: Emphasis,
  palette: Palette,
  zoom: number,
  hasBadge: boolean,
): void {
  const left = node.x - node.width / 2;
  const top = node.y - node.height / 2;
  const line = palette.line[node.type];
  if (node.group !== null) {
    paintStack(context, node, line, zoom);
  }
  if (hasBadge) {
    paintBadge(context, node, line, palette, zoom);
  }
  context.strokeStyle = emphasis === "selected" ? palette.selected : emphasis === "neighbour" ? palette.neighbour : line;
  // Lines must not vanish when the whole graph is in view.
  context.lineWidth = Math.max(LINE_WIDTHS[emphasis], (emphasis === "none" ? 0.5 : 1.5) / zoom);
  const out = emphasis === "none" ? 0 : context.lineWidth / 2;
  const [x0, x1, y0, y1] = [left - out, left + node.width + out, top - out, top + node.height + out];
  side(context, [x0, y0], [x1, y0], false);
  side(context, [x0, y1], [x1, y1], false);
  side(context, [x0, y0], [x0, y1], node.dottedLeft, palette.background);
  side(context, [x1, y0], [x1, y1], node.dottedRight, palette.background);
}

/** A node that is too small for a letter that can be read has only its color. */
function paintBadge(context: CanvasRenderingContext2D, node: PlacedNode, line: string, palette: Palette, zoom: number): void {
  const { x, y, width, height, badgeWidth } = node;
  context.fillStyle = line;
  context.fillRect(x - width / 2, y - height / 2, badgeWidth, height);
  if (badgeWidth * zoom >= LETTER_WIDTH && height * zoom >= LABEL_SIZE) {
    context.fillStyle = palette.background;
    context.font = `700 ${Math.max(FONT_SIZE - 2, LABEL_SIZE / zoom)}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(node.group === null ? TYPE_LETTERS[node.type] : "+", x - width / 2 + badgeWidth / 2, y + 0.5);
  }
}

/** Corners of two more nodes behind a group, below and to the right of it. */
function paintStack(context: CanvasRenderingContext2D, node: PlacedNode, color: string, zoom: number): void {
  const [right, bottom] = [node.x + node.width / 2, node.y + node.height / 2];
  context.strokeStyle = color;
  context.lineWidth = Math.max(LINE_WIDTHS.none, 0.5 / zoom);
  for (const distance of [STACK_DISTANCE, 2 * STACK_DISTANCE]) {
    context.beginPath();
    context.moveTo(right - node.width + distance, bottom + distance);
    context.lineTo(right + distance, bottom + distance);
    context.lineTo(right + distance, bottom - node.height + distance);
    context.stroke();
  }
}

/** Thin lines across a node, which leave its label readable. */
export function hatch(context: CanvasRenderingContext2D, node: PlacedNode, color: string): void {
  const [left, top] = [node.x - node.width / 2, node.y - node.height / 2];
  context.save();
  context.globalAlpha *= 0.3;
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  context.rect(left, top, node.width, node.height);
  context.clip();
  context.beginPath();
  for (let x = left; x < left + node.width + node.height; x += HATCH_DISTANCE) {
    context.moveTo(x, top);
    context.lineTo(x - node.height, top + node.height);
  }
  context.stroke();
  context.restore();
}

/** Draws a side; under the gaps of a dotted one lies the background, so that they can be seen. */
function side(context: CanvasRenderingContext2D, from: Point, to: Point, dotted: boolean, gaps?: string): void {
  const width = context.lineWidth;
  const stroke = context.strokeStyle;
  const draw = (): void => {
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
  };
  if (!dotted) {
    context.lineCap = "square";
    draw();
    return;
  }
  context.lineCap = "butt";
  context.lineWidth = Math.max(width, 3);
  context.strokeStyle = gaps ?? stroke;
  draw();
  context.strokeStyle = stroke;
  context.setLineDash([3, 4]);
  draw();
  context.setLineDash([]);
  context.lineWidth = width;
}
