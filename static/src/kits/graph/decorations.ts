/** What Cytoscape cannot draw: borders that differ by side, the letter of the type, and the headings. Painted over its canvas. */

import type { Badge } from "../../state/badges/badges";
import { badgeSign, type Sign } from "./badge_signs";
import { areLabelsReadable, type Emphasis, LABEL_SIZE, type Label, readableLabels } from "./labels";
import type { Palette } from "./palette";
import { FONT_SIZE, HEADING_TOP, type PlacedNode, type Placement, TYPE_LETTERS } from "./placement";
import type { Point } from "./routes";

/** What a node looks like besides its type. */
export interface Look {
  emphasis: Emphasis;
  /** Not on the trace. */
  dimmed: boolean;
  /** Without a number, where nodes are coloured by numbers. */
  hatched: boolean;
  /** What its number is, where that has no place on the scale of colours. */
  sign: string;
  /** What is special about it beside another graph. */
  mark: string;
  /** What is wrong with it, the worst first. */
  badges: readonly Badge[];
}

export interface View {
  pan: { x: number; y: number };
  zoom: number;
}

const FONT = "system-ui, sans-serif";

/** Below this size on the screen, text is only noise. */
const SMALLEST_TEXT = 5;

/** How much is left of a node that is not on the trace. */
export const DIMMED = 0.28;

/** Pixels on the screen: signs must not vanish when the whole graph is in view. */
const SMALLEST_SIGN = 8;

/** How much is to be seen of an edge that is not one of the selected node. */
const FAINT = 0.5;

const HATCH_DISTANCE = 6;

/** Has a place of its own: beside its node it covers none. */
export const FINDING = "finding";

/** Signs, lines and the nodes behind a group reach at most so far beyond a node. */
const LARGEST_EXCESS = 14;

/** Signs of what is a number like others. */
const SIGNS_OF_NUMBERS: ReadonlySet<string> = new Set(["0", "=", "<", ">"]);

/** Between a node and its sign of a finding, so that a dotted side can be seen. */
export const FINDING_DISTANCE = 2;

/** How much higher than its node that sign may be, so that it stays clear of those above and below. */
const HIGHEST_SIGN = 1.2;

/** How far apart the nodes behind a group are. */
export const STACK_DISTANCE = 3;

const LINE_WIDTHS: Readonly<Record<Emphasis, number>> = { selected: 3.5, neighbour: 2.5, none: 1.25 };

/** A letter on an edge. */
export interface EdgeSign {
  x: number;
  y: number;
  text: string;
}

/** Clears the canvas and paints everything, at the resolution of the screen. */
export function paint(
  canvas: HTMLCanvasElement,
  placement: Placement,
  lookOf: (node: number) => Look,
  edgeSigns: readonly EdgeSign[],
  view: View,
  palette: Palette,
  ways: readonly (readonly Point[])[] = [],
): void {
  const context = canvas.getContext("2d");
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (context === null || width === 0 || height === 0) {
    return;
  }
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  const scale = view.zoom * ratio;
  context.setTransform(scale, 0, 0, scale, view.pan.x * ratio, view.pan.y * ratio);
  const isInView = inView(view, canvas.clientWidth, canvas.clientHeight);
  const screen = { ...view, width: canvas.clientWidth, height: canvas.clientHeight };
  const labels = areLabelsReadable(view.zoom)
    ? null
    : readableLabels(
        placement,
        (node) => lookOf(node).emphasis,
        (node) => lookOf(node).dimmed,
        screen,
      );
  paintFaint(context, ways, palette);
  const named = new Set(labels?.filter(({ isOnNode }) => isOnNode).map(({ node }) => node));
  for (const node of placement.nodes) {
    if (!isInView(node)) {
      continue;
    }
    const look = lookOf(node.node);
    context.globalAlpha = look.dimmed ? DIMMED : 1;
    if (look.hatched) {
      hatch(context, node, palette.line[node.type]);
    }
    paintNode(context, node, look.emphasis, palette, view.zoom, !named.has(node.node));
    paintCorner(context, node, cornerSigns(look, palette), palette, view.zoom);
    if (look.mark !== "") {
      paintMark(context, node, { text: look.mark, fill: palette.text }, palette, view.zoom);
    }
    if (look.badges.includes(FINDING)) {
      paintFinding(context, node, palette, view.zoom);
    }
  }
  context.globalAlpha = 1;
  for (const { x, y, text } of edgeSigns) {
    paintSign(context, [x, y], { text, fill: palette.text }, palette, signSize(view.zoom));
  }
  if (labels === null) {
    paintHeadings(context, canvas.clientWidth, placement, view, palette);
  } else {
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paintLabels(context, labels, palette);
  }
}

/** What connects the nodes, behind the edges of what is selected. */
function paintFaint(context: CanvasRenderingContext2D, ways: readonly (readonly Point[])[], palette: Palette): void {
  context.globalAlpha = FAINT;
  context.strokeStyle = palette.neutral;
  context.lineWidth = 1;
  context.beginPath();
  for (const way of ways) {
    context.moveTo(...way[0]!);
    for (let k = 1; k < way.length - 1; k++) {
      const [[x, y], [nextX, nextY]] = [way[k]!, way[k + 1]!];
      const isLast = k === way.length - 2;
      context.quadraticCurveTo(x, y, isLast ? nextX : (x + nextX) / 2, isLast ? nextY : (y + nextY) / 2);
    }
  }
  context.stroke();
  context.globalAlpha = 1;
}

/** Whether something of a node can be seen, its sign and the nodes behind a group included. */
function inView({ pan, zoom }: View, width: number, height: number): (node: PlacedNode) => boolean {
  const margin = LARGEST_EXCESS + SMALLEST_SIGN / zoom;
  const [left, right, top, bottom] = [
    -pan.x / zoom - margin,
    (width - pan.x) / zoom + margin,
    -pan.y / zoom - margin,
    (height - pan.y) / zoom + margin,
  ];
  return (node) =>
    node.x + node.width / 2 > left &&
    node.x - node.width / 2 < right &&
    node.y + node.height / 2 > top &&
    node.y - node.height / 2 < bottom;
}

function paintHeadings(context: CanvasRenderingContext2D, width: number, placement: Placement, view: View, palette: Palette): void {
  context.font = `${FONT_SIZE - 1}px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "bottom";
  // Headings of high columns stay in view, on a strip under which the nodes go.
  const lowest = (HEADING_TOP - view.pan.y) / view.zoom;
  if (placement.headings.some(({ y }) => y < lowest)) {
    const top = -view.pan.y / view.zoom;
    context.fillStyle = palette.background;
    context.fillRect(-view.pan.x / view.zoom, top, width / view.zoom, lowest + 4 - top);
  }
  context.fillStyle = palette.heading;
  for (const { text, x, y } of placement.headings) {
    context.fillText(text, x, Math.max(y, lowest));
  }
}

/** Names on the screen, with a rim of the background so that they can be read over nodes. */
function paintLabels(context: CanvasRenderingContext2D, labels: readonly Label[], palette: Palette): void {
  context.font = `${LABEL_SIZE}px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = palette.background;
  for (const { text, x, y, isHeading } of labels) {
    context.fillStyle = isHeading ? palette.heading : palette.text;
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
}

/** A badge has no room if the name of a small node lies on the node. */
function paintNode(
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
  if (hasBadge && FONT_SIZE * zoom >= SMALLEST_TEXT) {
    context.fillStyle = line;
    context.fillRect(left, top, node.badgeWidth, node.height);
    context.fillStyle = palette.background;
    context.font = `700 ${FONT_SIZE - 2}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(node.group === null ? TYPE_LETTERS[node.type] : "+", left + node.badgeWidth / 2, node.y + 0.5);
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
function hatch(context: CanvasRenderingContext2D, node: PlacedNode, color: string): void {
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

/** What stands on the upper right corner of a node, from right to left: its number's sign, unless a badge is the same, and its badges. */
export function cornerSigns({ sign, badges }: Pick<Look, "sign" | "badges">, palette: Palette): Sign[] {
  const own = badges.filter((badge) => badge !== FINDING).map((badge) => badgeSign(badge, palette));
  return sign === "" || own.some(({ text }) => text === sign)
    ? own
    : [{ text: sign, fill: SIGNS_OF_NUMBERS.has(sign) ? palette.text : palette.bad }, ...own];
}

/** The first one reaches a little beyond the corner. */
function paintCorner(context: CanvasRenderingContext2D, node: PlacedNode, signs: readonly Sign[], palette: Palette, zoom: number): void {
  const size = signSize(zoom);
  let right = node.x + node.width / 2;
  for (const [k, sign] of signs.entries()) {
    const width = signWidth(context, sign.text, size);
    right += k === 0 ? width / 6 : 0;
    paintSign(context, [right - width / 2, node.y - node.height / 2], sign, palette, size);
    right -= width + size / 10;
  }
}

/** A label on the upper left corner. */
function paintMark(context: CanvasRenderingContext2D, node: PlacedNode, sign: Sign, palette: Palette, zoom: number): void {
  const size = signSize(zoom);
  const inwards = signWidth(context, sign.text, size) / 3;
  paintSign(context, [node.x - node.width / 2 + inwards, node.y - node.height / 2], sign, palette, size);
}

/** The sign of a finding, beside the lower left corner: there it covers no other node. */
function paintFinding(context: CanvasRenderingContext2D, node: PlacedNode, palette: Palette, zoom: number): void {
  const size = Math.min(signSize(zoom), (node.height * HIGHEST_SIGN) / SIGN_HEIGHT);
  const sign = badgeSign(FINDING, palette);
  const x = node.x - node.width / 2 - FINDING_DISTANCE - signWidth(context, sign.text, size) / 2;
  const y = node.y + Math.max(0, node.height - size * SIGN_HEIGHT) / 2;
  paintSign(context, [x, y], sign, palette, size);
}

/** How high the block of a sign is, for letters of size 1. */
const SIGN_HEIGHT = 1.35;

/** Letters around a place. */
function paintSign(context: CanvasRenderingContext2D, [x, y]: Point, { text, fill }: Sign, palette: Palette, size: number): void {
  const [width, height] = [signWidth(context, text, size), size * SIGN_HEIGHT];
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = fill;
  context.fillRect(x - width / 2, y - height / 2, width, height);
  context.fillStyle = palette.background;
  context.fillText(text, x, y + size * 0.05);
}

/** Letters stay readable when the graph is small. */
function signSize(zoom: number): number {
  return Math.max(FONT_SIZE - 2, SMALLEST_SIGN / zoom);
}

/** Sets the font, too. */
function signWidth(context: CanvasRenderingContext2D, text: string, size: number): number {
  context.font = `700 ${size}px ${FONT}`;
  return context.measureText(text).width + size * 0.7;
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
