/** Draws the cells of a board into pixels, and what is no colour as a pattern. Pure: it needs no canvas. */

import type { Board } from "./board";
import type { Placing } from "./viewport";

/** The pixels of a picture, as an `ImageData` holds them. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint32Array;
}

export interface Ink {
  colors: Uint32Array;
  /** The place of a finite value among the colours. */
  colorNumber: (value: number) => number;
  /** Behind and between the cells. */
  background: number;
  /** The two colours of the patterns, and that of cells that are not loaded. */
  dark: number;
  light: number;
  waiting: number;
}

/** What of a board decides which value is at a cell. */
export type PaintedBoard = Pick<Board, "rows" | "columns" | "rowBase" | "columnBase" | "count">;

/** Widths of the stripes of patterns, in pixels. */
const STRIPE = 3;

/**
 * Draws all pixels. A pixel that several cells share shows the value of the largest magnitude, so that none that stands out is lost;
 * NaN goes before everything. `isWaiting` says which values are not there. The placing is in pixels of `pixels`.
 */
export function paint(
  pixels: Pixels,
  board: PaintedBoard,
  values: ArrayLike<number>,
  isWaiting: ((k: number) => boolean) | null,
  placing: Placing,
  ink: Ink,
): void {
  const { width, height, data } = pixels;
  const columns = ranges(width, placing.x, placing.cellWidth, board.columns);
  const rows = ranges(height, placing.y, placing.cellHeight, board.rows);
  const { rowBase, columnBase, count } = board;
  for (let y = 0; y < height; y++) {
    const [firstRow, endRow] = [rows[2 * y]!, rows[2 * y + 1]!];
    for (let x = 0; x < width; x++) {
      const endColumn = columns[2 * x + 1]!;
      let isFilled = false;
      let waiting = false;
      let value = 0;
      for (let row = firstRow; row < endRow; row++) {
        const down = rowBase[row]!;
        for (let column = columns[2 * x]!; down >= 0 && column < endColumn; column++) {
          const k = down + columnBase[column]!;
          if (columnBase[column]! < 0 || k >= count) {
            continue;
          }
          if (isWaiting?.(k)) {
            waiting = true;
            continue;
          }
          const candidate = values[k]!;
          // A NaN wins, and is not replaced.
          if (!isFilled || Number.isNaN(candidate) || Math.abs(candidate) > Math.abs(value)) {
            value = candidate;
            isFilled = true;
          }
        }
      }
      data[y * width + x] = isFilled ? pixelOf(value, x, y, ink) : waiting ? waitingPixel(x, y, ink) : ink.background;
    }
  }
}

/** Whether a value is in one of the gaps; null where there are none. */
export function isInGaps(gaps: readonly [number, number][]): ((k: number) => boolean) | null {
  return gaps.length === 0 ? null : (k) => gaps.some(([from, to]) => k >= from && k < to);
}

/** The first cell that every pixel shows, and the cell behind the last; none outside the board. */
function ranges(length: number, corner: number, cell: number, cells: number): Int32Array {
  const pairs = new Int32Array(2 * length);
  for (let k = 0; k < length; k++) {
    const first = Math.floor((k + 0.5 - corner) / cell);
    const [from, to] = cell >= 1 ? [first, first + 1] : [Math.floor((k - corner) / cell), Math.floor((k + 1 - corner) / cell)];
    pairs[2 * k] = Math.max(0, Math.min(cells, from));
    pairs[2 * k + 1] = Math.max(0, Math.min(cells, Math.max(to, from + 1)));
  }
  return pairs;
}

function pixelOf(value: number, x: number, y: number, ink: Ink): number {
  if (value - value === 0) {
    return ink.colors[ink.colorNumber(value)]!;
  }
  return isStripe(value, x, y) ? ink.dark : ink.light;
}

/** NaN: crossed stripes. Infinities: stripes that rise or fall. */
function isStripe(value: number, x: number, y: number): boolean {
  const rising = Math.floor((x + y) / STRIPE) % 2 === 0;
  if (value === Infinity) {
    return rising;
  }
  const falling = Math.floor((x - y + 3000 * STRIPE) / STRIPE) % 2 === 0;
  return value === -Infinity ? falling : rising !== falling;
}

function waitingPixel(x: number, y: number, ink: Ink): number {
  return x % 6 < 2 && y % 6 < 2 ? ink.waiting : ink.background;
}
