/** How a tensor lies on a plane: the last two axes are rows and columns, one more may be tiles, and the others show one place. */

/** An axis of the tensor, by its position in the tensor and its size. An unknown axis is called `axis 2`. */
export interface Axis {
  position: number;
  size: number;
  name: string;
}

/** What the rows, the columns and the tiles of a picture are. A vector has no rows of its own: it is wrapped. */
export interface Arrangement {
  /** Axes of which one place is shown, in order; the last one can be shown as tiles instead. */
  pages: readonly Axis[];
  rows: Axis | null;
  columns: Axis | null;
}

/** The place on each of the pages; `null` for all places of the last one, side by side. */
export type Page = readonly (number | null)[];

/** Cells on a plane. Row `r`, column `c` shows value `rowBase[r] + columnBase[c]`, if neither is negative and it is below `count`. */
export interface Board {
  /** Place of the first value of the picture among all values of the tensor. */
  start: number;
  count: number;
  rows: number;
  columns: number;
  rowBase: Int32Array;
  columnBase: Int32Array;
  /** Size of one tile, and how many stand side by side. */
  tileRows: number;
  tileColumns: number;
  tiles: number;
  tilesAcross: number;
}

/** A board of a single value. */
export const SINGLE_CELL: Board = {
  start: 0,
  count: 1,
  rows: 1,
  columns: 1,
  rowBase: new Int32Array(1),
  columnBase: new Int32Array(1),
  tileRows: 1,
  tileColumns: 1,
  tiles: 1,
  tilesAcross: 1,
};

/** A picture may hold this many values. */
export const LARGEST_PICTURE = 2 ** 24;

/** Up to here, places of an axis are shown side by side unless something else is asked for. */
const MOST_TILES = 256;
const LARGEST_TILED = 2 ** 22;

/** Vectors up to this length are one row. */
const LONGEST_ROW = 48;

/** The axes of a tensor but that of the batch; `names` are those of the last ones. */
export function axesOf(shape: readonly number[], batchDimension: number | null, names: readonly string[] = []): Axis[] {
  const unnamed = shape.length - names.length;
  return shape
    .map((size, position) => ({ position, size, name: names[position - unnamed] ?? `axis ${position}` }))
    .filter((axis) => axis.position !== batchDimension);
}

export function arrange(axes: readonly Axis[]): Arrangement {
  if (axes.length < 2) {
    return { pages: [], rows: null, columns: axes[0] ?? null };
  }
  return { pages: axes.slice(0, -2), rows: axes.at(-2)!, columns: axes.at(-1)! };
}

/** Whether the last page axis can be laid out side by side. */
export function canTile({ pages, rows, columns }: Arrangement): boolean {
  const axis = pages.at(-1);
  const values = (axis?.size ?? 0) * (rows?.size ?? 0) * (columns?.size ?? 0);
  return axis !== undefined && axis.size > 1 && axis.size <= MOST_TILES && values > 0 && values <= LARGEST_TILED;
}

/** Reads a page from an address: places with dots between them, `*` for all of the last axis. Invalid places become the first. */
export function readPage(text: string | undefined, arrangement: Arrangement): Page {
  const parts = text?.split(".") ?? [];
  const last = arrangement.pages.length - 1;
  return arrangement.pages.map(({ size }, k) => {
    const part = parts[k] ?? "";
    if (k === last && canTile(arrangement) && (part === "*" || text === undefined)) {
      return null;
    }
    return /^\d{1,9}$/.test(part) && Number(part) < size ? Number(part) : 0;
  });
}

/** Writes a page for an address; null where it is the one that is shown anyway. */
export function writePage(page: Page, arrangement: Arrangement): string | null {
  const text = page.map((place) => place ?? "*").join(".");
  return text ===
    readPage(undefined, arrangement)
      .map((place) => place ?? "*")
      .join(".")
    ? null
    : text;
}

/** Which values a page shows: they lie side by side. */
export function rangeOf({ pages, rows, columns }: Arrangement, page: Page): { start: number; count: number } {
  const slice = (rows?.size ?? 1) * (columns?.size ?? 1);
  const tiles = page.length > 0 && page.at(-1) === null ? pages.at(-1)!.size : 1;
  return { start: page.reduce<number>((place, at, k) => place * pages[k]!.size + (at ?? 0), 0) * slice, count: tiles * slice };
}

/** Tells pictures apart whose cells lie differently. */
export function keyOfPicture({ pages, rows, columns }: Arrangement, page: Page): string {
  return `${[...pages, rows, columns].map((axis) => `${axis?.position}:${axis?.size}`).join()}/${page.join()}`;
}

/** The cells of a picture; `aspect` is how much wider than high the room for it is. */
export function boardOf(arrangement: Arrangement, page: Page, aspect: number): Board {
  const { rows, columns } = arrangement;
  if (rows === null || columns === null) {
    return wrapped(columns?.size ?? 1);
  }
  const { start, count } = rangeOf(arrangement, page);
  return tiled(start, count / Math.max(1, rows.size * columns.size), rows.size, columns.size, aspect);
}

function tiled(start: number, tiles: number, tileRows: number, tileColumns: number, aspect: number): Board {
  const gap = tiles > 1 ? Math.max(1, Math.round(Math.min(tileRows, tileColumns) * 0.08)) : 0;
  const tilesAcross = acrossFor(tiles, tileRows + gap, tileColumns + gap, aspect);
  const tilesDown = Math.ceil(tiles / tilesAcross);
  const slice = tileRows * tileColumns;
  return {
    start,
    count: tiles * slice,
    rows: tilesDown * (tileRows + gap) - gap,
    columns: tilesAcross * (tileColumns + gap) - gap,
    rowBase: bases(tilesDown, tileRows, gap, tilesAcross * slice, tileColumns),
    columnBase: bases(tilesAcross, tileColumns, gap, slice, 1),
    tileRows,
    tileColumns,
    tiles,
    tilesAcross,
  };
}

/** How many tiles stand side by side, so that they are drawn as large as possible. */
function acrossFor(tiles: number, height: number, width: number, aspect: number): number {
  let [best, largest] = [1, 0];
  for (let across = 1; across <= tiles; across++) {
    const scale = Math.min(aspect / (across * width), 1 / (Math.ceil(tiles / across) * height));
    if (scale > largest) {
      [best, largest] = [across, scale];
    }
  }
  return best;
}

/** What every row or column of a board adds to the place of a value; -1 between tiles. */
function bases(tiles: number, size: number, gap: number, tileStride: number, stride: number): Int32Array {
  const base = new Int32Array(Math.max(0, tiles * (size + gap) - gap)).fill(-1);
  for (let tile = 0; tile < tiles; tile++) {
    for (let k = 0; k < size; k++) {
      base[tile * (size + gap) + k] = tile * tileStride + k * stride;
    }
  }
  return base;
}

/** A vector in rows of a width that divides its length where one near twice its height does. */
function wrapped(count: number): Board {
  const columns = count <= LONGEST_ROW ? count : wrapWidth(count);
  const rows = columns === 0 ? 0 : Math.ceil(count / columns);
  return {
    start: 0,
    count,
    rows,
    columns,
    rowBase: Int32Array.from({ length: rows }, (_, row) => row * columns),
    columnBase: Int32Array.from({ length: columns }, (_, column) => column),
    tileRows: rows,
    tileColumns: columns,
    tiles: 1,
    tilesAcross: 1,
  };
}

function wrapWidth(count: number): number {
  const wanted = Math.ceil(Math.sqrt(2 * count));
  for (let distance = 0; distance <= wanted / 2; distance++) {
    const width = [wanted + distance, wanted - distance].find((candidate) => count % candidate === 0);
    if (width !== undefined) {
      return width;
    }
  }
  return Math.ceil(wanted / 8) * 8;
}

/** Some rows and columns of a board, from a cell on. */
export interface Part {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/** The cells of a part, as a board of their own: values are counted as in the whole. */
export function partOf(board: Board, { row, column, rows, columns }: Part): Board {
  return {
    ...board,
    rows,
    columns,
    rowBase: board.rowBase.slice(row, row + rows),
    columnBase: board.columnBase.slice(column, column + columns),
  };
}

function isWhole(board: Board, { rows, columns }: Part): boolean {
  return rows === board.rows && columns === board.columns;
}

/** Which part of a picture it is: places on its axes, or on tiles side by side, which of them. Empty where it is the whole. */
export function partInWords({ rows, columns, pages }: Arrangement, board: Board, part: Part): string {
  if (isWhole(board, part)) {
    return "";
  }
  const [down, right] = [range(part.row, part.rows), range(part.column, part.columns)];
  if (board.tiles > 1) {
    const { rowBase, columnBase } = partOf(board, part);
    const slice = board.tileRows * board.tileColumns;
    const firsts = (bases: Int32Array): number[] => [
      ...new Set(
        Array.from(bases)
          .filter((base) => base >= 0)
          .map((base) => Math.floor(base / slice)),
      ),
    ];
    const tiles = firsts(rowBase)
      .flatMap((first) => firsts(columnBase).map((further) => first + further))
      .filter((tile) => tile < board.tiles);
    const more = tiles.length > TILES_LISTED ? ` and ${tiles.length - TILES_LISTED} more` : "";
    return `Part of the picture: ${axisName(pages.at(-1)!)} at ${tiles.slice(0, TILES_LISTED).join(", ")}${more}, some of them in part`;
  }
  const isWrapped = rows === null && board.rows > 1;
  const row = isWrapped ? `row ${down} of ${board.rows}` : `${axisName(rows)} at ${down}`;
  const column = isWrapped ? `column ${right} of ${board.columns}` : `${axisName(columns)} at ${right}`;
  return `Part of the picture: ${[...(board.rows > 1 ? [row] : []), ...(board.columns > 1 ? [column] : [])].join(", ")}`;
}

const TILES_LISTED = 12;

function range(first: number, count: number): string {
  return count === 1 ? String(first) : `${first} to ${first + count - 1}`;
}

/** The value at a cell, counted from the start of the board; -1 where there is none. */
export function valueAt(board: Board, row: number, column: number): number {
  const [down, right] = [board.rowBase[row] ?? -1, board.columnBase[column] ?? -1];
  return down < 0 || right < 0 || down + right >= board.count ? -1 : down + right;
}

/** The cell of a value, counted from the start of the board. */
export function cellOf(board: Board, k: number): { row: number; column: number } {
  const slice = board.tileRows * board.tileColumns;
  const [tile, rest] = [Math.floor(k / slice), k % slice];
  const down = Math.floor(tile / board.tilesAcross) * board.tilesAcross * slice + Math.floor(rest / board.tileColumns) * board.tileColumns;
  return {
    row: board.rowBase.indexOf(down),
    column: board.columnBase.indexOf((tile % board.tilesAcross) * slice + (rest % board.tileColumns)),
  };
}

/** The values on the straight line between two, both included. */
export function line(board: Board, from: number, to: number): number[] {
  const [start, end] = [cellOf(board, from), cellOf(board, to)];
  const steps = Math.max(Math.abs(end.row - start.row), Math.abs(end.column - start.column), 1);
  const along = (first: number, last: number, step: number): number => Math.round(first + ((last - first) * step) / steps);
  const values = Array.from({ length: steps + 1 }, (_, step) =>
    valueAt(board, along(start.row, end.row, step), along(start.column, end.column, step)),
  );
  return [...new Set(values.filter((k) => k >= 0))];
}

/** `axis 2 (28)`, `head (12)`, or what stands for it. */
export function axisName(axis: Axis | null): string {
  return axis === null ? "a single value" : `${axis.name} (${axis.size})`;
}
