/** Puts a board on a canvas: its cells, the borders of its tiles, and what is written in cells that are large enough. */

import type { Value } from "../../data/arrays/numbers";
import { numberText } from "../../ui/text/format";
import { themeColor } from "../../ui/theme";
import { type Board, cellOf, valueAt } from "./board";
import { type Ink, isInGaps, type PaintedBoard, paint } from "./paint_cells";
import { colorNumbers, colorsOf, cssColor, type Extent, isLight, pixel, type Scale } from "./value_colors";
import type { Placing, Size } from "./viewport";

/** Values as a picture draws them. */
export interface CellValues {
  readonly numbers: Float32Array | Float64Array;
  /** Which values are not here yet, as pairs of the first and the one behind the last. */
  readonly gaps: [number, number][];
  /** Which values are here. */
  readonly loaded: [number, number][];
  /** Value `k`; undefined while it is not here. */
  at(k: number): Value | undefined;
}

export interface Coloring {
  scale: Scale;
  extent: Extent;
}

const TRANSPARENT = 0;

/** Cells of at least this size have their value written in them. */
export const WRITTEN: Size = { width: 46, height: 16 };
const FONT = "11px system-ui, sans-serif";

/** Tiles that are drawn smaller than this have no borders. */
const SMALLEST_BORDERED = 24;

export function inkOf({ scale, extent }: Coloring, dark: boolean): Ink {
  return {
    colors: colorsOf(scale, dark),
    colorNumber: colorNumbers(scale, extent),
    background: TRANSPARENT,
    dark: pixel([0, 0, 0]),
    light: pixel([255, 255, 255]),
    waiting: themePixel("control-line"),
  };
}

/** A colour of the style sheet, which writes them as `#rrggbb`. */
function themePixel(name: string): number {
  const number = parseInt(themeColor(name).slice(1), 16);
  return pixel([(number >> 16) & 255, (number >> 8) & 255, number & 255]);
}

/** Makes a canvas as fine as the screen; what is drawn on it is in pixels of the page. */
export function contextOf(canvas: HTMLCanvasElement, size: Size): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.max(1, Math.round(size.width * ratio)), Math.max(1, Math.round(size.height * ratio))];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d");
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** Draws the cells alone, `size` pixels of the page large. Returns what else can be drawn with, in pixels of the page. */
export function drawCells(
  canvas: HTMLCanvasElement,
  size: Size,
  board: PaintedBoard,
  numbers: ArrayLike<number>,
  isWaiting: ((k: number) => boolean) | null,
  placing: Placing,
  ink: Ink,
): CanvasRenderingContext2D | null {
  const context = contextOf(canvas, size);
  if (context === null) {
    return null;
  }
  const { width, height } = canvas;
  const ratio = context.getTransform().a;
  const image = context.createImageData(width, height);
  const fine = { x: placing.x * ratio, y: placing.y * ratio, cellWidth: placing.cellWidth * ratio, cellHeight: placing.cellHeight * ratio };
  paint({ width, height, data: new Uint32Array(image.data.buffer) }, board, numbers, isWaiting, fine, ink);
  context.putImageData(image, 0, 0);
  return context;
}

/** Draws all of it, `size` pixels of the page large. */
export function drawBoard(canvas: HTMLCanvasElement, size: Size, board: Board, values: CellValues, placing: Placing, ink: Ink): void {
  const context = drawCells(canvas, size, board, values.numbers, isInGaps(values.gaps), placing, ink);
  if (context === null) {
    return;
  }
  drawBorders(context, board, placing);
  if (placing.cellWidth >= WRITTEN.width && placing.cellHeight >= WRITTEN.height) {
    writeValues(context, size, board, values, placing, ink);
  }
}

function drawBorders(context: CanvasRenderingContext2D, board: Board, placing: Placing): void {
  const slice = board.tileRows * board.tileColumns;
  const isSmall =
    board.tiles > 1 && Math.min(board.tileColumns * placing.cellWidth, board.tileRows * placing.cellHeight) < SMALLEST_BORDERED;
  if (isSmall || slice === 0) {
    return;
  }
  context.strokeStyle = themeColor("control-line");
  context.lineWidth = 1;
  for (let tile = 0; tile < board.tiles; tile++) {
    const { row, column } = cellOf(board, tile * slice);
    context.strokeRect(
      placing.x + column * placing.cellWidth,
      placing.y + row * placing.cellHeight,
      board.tileColumns * placing.cellWidth,
      board.tileRows * placing.cellHeight,
    );
  }
}

function writeValues(context: CanvasRenderingContext2D, size: Size, board: Board, values: CellValues, placing: Placing, ink: Ink): void {
  const { x, y, cellWidth, cellHeight } = placing;
  const [firstRow, lastRow] = [Math.max(0, Math.floor(-y / cellHeight)), Math.min(board.rows, Math.ceil((size.height - y) / cellHeight))];
  const [firstColumn, lastColumn] = [
    Math.max(0, Math.floor(-x / cellWidth)),
    Math.min(board.columns, Math.ceil((size.width - x) / cellWidth)),
  ];
  beginWriting(context);
  for (let row = firstRow; row < lastRow; row++) {
    for (let column = firstColumn; column < lastColumn; column++) {
      const k = valueAt(board, row, column);
      const value = k < 0 ? undefined : values.at(k);
      if (value !== undefined) {
        writeValue(context, Number(value), x + (column + 0.5) * cellWidth, y + (row + 0.5) * cellHeight, cellWidth, ink);
      }
    }
  }
}

/** To be called before values are written. */
export function beginWriting(context: CanvasRenderingContext2D): void {
  context.font = FONT;
  context.textAlign = "center";
  context.textBaseline = "middle";
}

/** Writes a value around a place. What is not finite stands on a plate, as it has a pattern behind it. */
export function writeValue(context: CanvasRenderingContext2D, value: number, x: number, y: number, width: number, ink: Ink): void {
  const text = numberText(value, "");
  if (Number.isFinite(value)) {
    context.fillStyle = isLight(ink.colors[ink.colorNumber(value)]!) ? "#000000" : "#ffffff";
  } else {
    const plate = context.measureText(text).width + 6;
    context.fillStyle = cssColor(ink.light);
    context.fillRect(x - plate / 2, y - 8, plate, 16);
    context.fillStyle = cssColor(ink.dark);
  }
  context.fillText(text, x, y, width - 4);
}

/** Draws a frame around a cell, which is seen on every colour. */
export function drawCursor(canvas: HTMLCanvasElement, board: Board, k: number, placing: Placing): void {
  const context = canvas.getContext("2d");
  if (context === null) {
    return;
  }
  const { row, column } = cellOf(board, k);
  const [width, height] = [Math.max(5, placing.cellWidth), Math.max(5, placing.cellHeight)];
  const [x, y] = [placing.x + (column + 0.5) * placing.cellWidth - width / 2, placing.y + (row + 0.5) * placing.cellHeight - height / 2];
  for (const [color, line, out] of [
    ["#ffffff", 3, 1.5],
    ["#000000", 1.5, 1.5],
  ] as const) {
    context.strokeStyle = color;
    context.lineWidth = line;
    context.strokeRect(x - out, y - out, width + 2 * out, height + 2 * out);
  }
}

/** The corner of a changed cell, in pixels of the page. */
const MARK = { least: 4, most: 10, part: 0.4 };

/** Marks cells with a dark corner that has a light edge, which is seen on every colour. */
export function drawMarks(canvas: HTMLCanvasElement, board: Board, places: Iterable<number>, placing: Placing): void {
  const context = canvas.getContext("2d");
  if (context === null) {
    return;
  }
  const side = Math.max(MARK.least, Math.min(MARK.most, MARK.part * Math.min(placing.cellWidth, placing.cellHeight)));
  for (const k of places) {
    const { row, column } = cellOf(board, k);
    const [right, top] = [placing.x + (column + 1) * placing.cellWidth, placing.y + row * placing.cellHeight];
    context.beginPath();
    context.moveTo(right, top);
    context.lineTo(right - side, top);
    context.lineTo(right, top + side);
    context.closePath();
    context.fillStyle = "#000000";
    context.fill();
    context.strokeStyle = "#ffffff";
    context.lineWidth = 1;
    context.stroke();
  }
}
