/** Which part of a board is seen, and how large. Sizes are pixels of the page, places are cells. */

import type { Part } from "./board";

export interface Size {
  width: number;
  height: number;
}

export interface Cells {
  rows: number;
  columns: number;
}

/** How much larger cells are than when everything is seen, and what is in the middle of the room, as a part of the board from 0 to 1. */
export interface Viewport {
  zoom: number;
  column: number;
  row: number;
}

/** Where the board lies: the place of its corner, and the size of a cell. */
export interface Placing {
  x: number;
  y: number;
  cellWidth: number;
  cellHeight: number;
}

export const LARGEST_FITTED_CELL = 56;
const LARGEST_CELL = 84;
/** A board that would be thinner than this is stretched, up to cells of some height. */
const THINNEST = 48;
const LARGEST_STRETCHED_CELL = 16;

export const ZOOM_STEP = 1.5;

export const WHOLE: Viewport = { zoom: 1, column: 0.5, row: 0.5 };

/** The size of a cell when the whole board is seen. Cells are square unless that would make the board a thread. */
export function fittedCell({ rows, columns }: Cells, { width, height }: Size): Size {
  const [widest, highest] = [width / Math.max(1, columns), height / Math.max(1, rows)];
  const side = Math.min(widest, highest, LARGEST_FITTED_CELL);
  const stretch = (most: number, cells: number): number =>
    Math.max(side, Math.min(most, THINNEST / Math.max(1, cells), LARGEST_STRETCHED_CELL));
  return { width: stretch(widest, columns), height: stretch(highest, rows) };
}

/** Where the board lies for a viewport. */
export function placingOf(viewport: Viewport, cells: Cells, size: Size): Placing {
  const fitted = fittedCell(cells, size);
  const [cellWidth, cellHeight] = [fitted.width * viewport.zoom, fitted.height * viewport.zoom];
  const [width, height] = [cellWidth * cells.columns, cellHeight * cells.rows];
  return { x: corner(viewport.column, width, size.width), y: corner(viewport.row, height, size.height), cellWidth, cellHeight };
}

/** The cells that are seen, be it in part. */
export function cellsInView(viewport: Viewport, cells: Cells, size: Size): Part {
  const { x, y, cellWidth, cellHeight } = placingOf(viewport, cells, size);
  const along = (corner: number, cell: number, room: number, count: number): [first: number, count: number] => {
    // What is seen of a cell by less than a hundredth is not.
    const first = Math.max(0, Math.floor(-corner / cell + 0.01));
    const end = Math.min(count, Math.ceil((room - corner) / cell - 0.01));
    return [first, Math.max(1, end - first)];
  };
  const [column, columns] = along(x, cellWidth, size.width, cells.columns);
  const [row, rows] = along(y, cellHeight, size.height, cells.rows);
  return viewport.zoom <= 1 || size.width === 0
    ? { row: 0, column: 0, rows: cells.rows, columns: cells.columns }
    : { row, column, rows, columns };
}

/** A board that is smaller than the room stays in it at its beginning, a larger one covers it. */
function corner(middle: number, length: number, room: number): number {
  return length <= room ? 0 : Math.min(0, Math.max(room - length, room / 2 - middle * length));
}

/** Zooms by a factor so that the point of the room at `x`, `y` keeps its cell. */
export function zoomed(viewport: Viewport, factor: number, x: number, y: number, cells: Cells, size: Size): Viewport {
  const fitted = fittedCell(cells, size);
  const largest = Math.max(1, LARGEST_CELL / Math.min(fitted.width, fitted.height));
  const zoom = Math.max(1, Math.min(largest, viewport.zoom * factor));
  const before = placingOf(viewport, cells, size);
  const [column, row] = [(x - before.x) / before.cellWidth, (y - before.y) / before.cellHeight];
  return middle(zoom, x - column * fitted.width * zoom, y - row * fitted.height * zoom, fitted, cells, size);
}

/** Moves the board by pixels. */
export function moved(viewport: Viewport, dx: number, dy: number, cells: Cells, size: Size): Viewport {
  const { x, y } = placingOf(viewport, cells, size);
  return middle(viewport.zoom, x + dx, y + dy, fittedCell(cells, size), cells, size);
}

/** Moves the board so that a cell is in the room. */
export function withCell(viewport: Viewport, row: number, column: number, cells: Cells, size: Size): Viewport {
  const { x, y, cellWidth, cellHeight } = placingOf(viewport, cells, size);
  const [left, top] = [x + column * cellWidth, y + row * cellHeight];
  const into = (place: number, length: number, room: number): number => (place < 0 ? -place : Math.min(0, room - place - length));
  return moved(viewport, into(left, cellWidth, size.width), into(top, cellHeight, size.height), cells, size);
}

/** The viewport of a board whose corner is at `x`, `y`, kept where the board covers the room. */
function middle(zoom: number, x: number, y: number, fitted: Size, cells: Cells, size: Size): Viewport {
  const part = (corner: number, length: number, room: number): number =>
    length <= room ? 0.5 : Math.max(room / 2 / length, Math.min(1 - room / 2 / length, (room / 2 - corner) / length));
  return {
    zoom,
    column: part(x, fitted.width * zoom * cells.columns, size.width),
    row: part(y, fitted.height * zoom * cells.rows, size.height),
  };
}
