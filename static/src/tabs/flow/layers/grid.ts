/** How the elements of a layer lie on a plane of cells: its channel, its sub-lattice, its alignment with other layers, its neighbours. */

import { indexOf } from "../../../data/arrays/index_in_shape";
import type { LayerView, Place } from "../../../state/tab_options/flow_layers";
import { type Lattice, latticeOf, latticeWith, placesOn } from "./sublattice";

/** Cells without an element. */
const NO_ELEMENT = -1;

/** Layers of one dimension are wrapped into rows of this length. */
const LONGEST_ROW = 64;

/** Between planes that stand side by side. */
const GAP = 1;

export interface Grid {
  rows: number;
  columns: number;
  /** The element of every cell, row by row; `NO_ELEMENT` if it has none. */
  elements: Int32Array;
  /** Distance in the layer of neighbouring cells, along rows and columns. */
  step: number;
  /** Which sub-lattice is shown, of how many. */
  lattice: number;
  lattices: number;
  /** The cell at the place of an element, even where another channel is shown there; -1 where there is none. */
  cellOf: (element: number) => number;
  /** All elements that have their place at a cell: that of every channel, where the strongest is shown; none of a cell without any. */
  elementsAt: (cell: number) => number[];
}

/** How far the layers reach to the top and to the left of where they would begin: what all of them are moved by. */
export interface Origin {
  row: number;
  column: number;
}

export function originOf(views: readonly LayerView[]): Origin {
  return { row: Math.min(0, ...views.map((view) => view.rowOffset)), column: Math.min(0, ...views.map((view) => view.columnOffset)) };
}

/**
 * Lays out a layer.
 *
 * `values` decide which channel is the strongest at a cell, unless one of the elements `inSight` is there. The sub-lattice that holds
 * the first of these is shown.
 */
export function gridOf(
  shape: readonly number[],
  view: LayerView,
  origin: Origin,
  values: Float32Array | null,
  inSight: readonly number[],
): Grid {
  const [height, width] = planeOf(shape);
  const [row, column] = inSight.length === 0 ? [0, 0] : cellOnPlane(shape, inSight[0]!, view);
  const number = latticeWith(Math.max(0, row), Math.max(0, column), view.zoom);
  const lattice = latticeOf(number, view.zoom);
  const plane = { rows: placesOn(height, lattice.row, lattice.step), columns: placesOn(width, lattice.column, lattice.step) };
  const size = Math.max(1, height * width);
  // A wrapped row may be shorter than the plane.
  const filled = shape.length < 2 ? (shape[0] ?? 1) : size;
  const channels = shape.length < 3 ? 1 : shape.at(-3)!;
  const first = pageStart(shape, view.page) * channels;
  const place = view.page.at(-1) ?? 0;
  const elementAt = (channel: number, down: number, right: number): number => {
    let r = down * lattice.step + lattice.row;
    let c = right * lattice.step + lattice.column;
    if (view.neighbours) {
      const [dr, dc] = neighbourOf(channel);
      r -= dr;
      c -= dc;
    }
    const within = r * width + c;
    return r < 0 || c < 0 || r >= height || c >= width || within >= filled ? NO_ELEMENT : (first + channel) * size + within;
  };
  const across = view.neighbours
    ? 3
    : Math.max(1, Math.min(channels, Math.ceil(Math.sqrt((channels * plane.rows) / Math.max(1, plane.columns)))));
  const laid =
    place === "all"
      ? sideBySide(plane, channels, across, elementAt)
      : onePlane(plane, place, channels, values, new Set(inSight), elementAt);
  const [above, before] = [view.rowOffset - origin.row, view.columnOffset - origin.column];
  const columns = laid.columns + before;
  const cellOf = (element: number): number => {
    const channel = Math.floor(element / size) - first;
    const [r, c] = cellOnPlane(shape, element, view);
    const [down, right] = [(r - lattice.row) / lattice.step, (c - lattice.column) / lattice.step];
    const isShown = typeof place === "number" ? channel === place : channel >= 0 && channel < channels;
    const isWithin = (at: number, count: number): boolean => Number.isInteger(at) && at >= 0 && at < count;
    if (!isShown || !isWithin(down, plane.rows) || !isWithin(right, plane.columns)) {
      return NO_ELEMENT;
    }
    const [top, left] =
      place === "all" ? [Math.floor(channel / across) * (plane.rows + GAP), (channel % across) * (plane.columns + GAP)] : [0, 0];
    return (above + top + down) * columns + before + left + right;
  };
  const shown = moved(laid, above, before);
  const elementsAt = (cell: number): number[] => {
    const at =
      place === "strongest" && cell >= 0
        ? Array.from({ length: channels }, (_, channel) =>
            elementAt(channel, Math.floor(cell / columns) - above, (cell % columns) - before),
          )
        : [shown.elements[cell] ?? NO_ELEMENT];
    return at.filter((element) => element >= 0);
  };
  return { ...shown, step: lattice.step, lattice: number, lattices: 4 ** view.zoom, cellOf, elementsAt };
}

/** Rows and columns of a plane of a layer; a vector is wrapped. */
function planeOf(shape: readonly number[]): [height: number, width: number] {
  if (shape.length >= 2) {
    return [shape.at(-2)!, shape.at(-1)!];
  }
  const length = shape[0] ?? 1;
  const width = Math.min(length, LONGEST_ROW);
  return [width === 0 ? 0 : Math.ceil(length / width), width];
}

/** By how much the neighbour of a channel is away: the nine are those of (-1, -1), (-1, 0), ..., (1, 1). */
function neighbourOf(channel: number): [row: number, column: number] {
  return [Math.floor(channel / 3) - 1, (channel % 3) - 1];
}

/** The row and the column at which an element is drawn on the whole plane; outside it for neighbours beyond its rim. */
function cellOnPlane(shape: readonly number[], element: number, view: LayerView): [row: number, column: number] {
  const [height, width] = planeOf(shape);
  const within = element % Math.max(1, height * width);
  const [dr, dc] = view.neighbours ? neighbourOf(indexOf(element, shape)[0]!) : [0, 0];
  return [Math.floor(within / Math.max(1, width)) + dr, (within % Math.max(1, width)) + dc];
}

/** Position among the pages before the last dimension of them. */
function pageStart(shape: readonly number[], page: readonly Place[]): number {
  return page.slice(0, -1).reduce<number>((start, place, axis) => start * shape[axis]! + (typeof place === "number" ? place : 0), 0);
}

interface Plane {
  rows: number;
  columns: number;
}

interface Laid extends Plane {
  elements: Int32Array;
}

type ElementAt = (channel: number, row: number, column: number) => number;

function onePlane(
  { rows, columns }: Plane,
  place: number | "strongest",
  channels: number,
  values: Float32Array | null,
  inSight: ReadonlySet<number>,
  elementAt: ElementAt,
): Laid {
  const elements = new Int32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      elements[row * columns + column] =
        typeof place === "number"
          ? elementAt(place, row, column)
          : strongest(channels, values, inSight, (channel) => elementAt(channel, row, column));
    }
  }
  return { rows, columns, elements };
}

/** The element whose value has the largest magnitude; NaN goes before everything, and what must be in sight before that. */
function strongest(
  channels: number,
  values: Float32Array | null,
  inSight: ReadonlySet<number>,
  elementAt: (channel: number) => number,
): number {
  let best = NO_ELEMENT;
  let largest = -1;
  for (let channel = 0; channel < channels; channel++) {
    const element = elementAt(channel);
    if (inSight.size > 0 && inSight.has(element)) {
      return element;
    }
    const value = element < 0 ? -1 : values === null ? 0 : Math.abs(values[element]!);
    if (element >= 0 && (Number.isNaN(value) || value > largest)) {
      best = element;
      largest = Number.isNaN(value) ? Infinity : value;
    }
  }
  return best;
}

function sideBySide({ rows, columns }: Plane, channels: number, across: number, elementAt: ElementAt): Laid {
  const down = Math.ceil(channels / across);
  const [allRows, allColumns] = [Math.max(0, down * (rows + GAP) - GAP), Math.max(0, across * (columns + GAP) - GAP)];
  const elements = new Int32Array(allRows * allColumns).fill(NO_ELEMENT);
  for (let channel = 0; channel < channels; channel++) {
    const [top, left] = [Math.floor(channel / across) * (rows + GAP), (channel % across) * (columns + GAP)];
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        elements[(top + row) * allColumns + left + column] = elementAt(channel, row, column);
      }
    }
  }
  return { rows: allRows, columns: allColumns, elements };
}

/** With empty rows above and empty columns to the left. */
function moved({ rows, columns, elements }: Laid, down: number, right: number): Laid {
  if (down === 0 && right === 0) {
    return { rows, columns, elements };
  }
  const wide = columns + right;
  const all = new Int32Array((rows + down) * wide).fill(NO_ELEMENT);
  for (let row = 0; row < rows; row++) {
    all.set(elements.subarray(row * columns, (row + 1) * columns), (row + down) * wide + right);
  }
  return { rows: rows + down, columns: wide, elements: all };
}

/** In words, which sub-lattice a grid shows; empty where it shows all cells. */
export function latticeInWords({ lattice, lattices }: Grid, zoom: number): string {
  const { row, column, step }: Lattice = latticeOf(lattice, zoom);
  return zoom === 0 ? "" : `plane ${lattice} of ${lattices}: rows from ${row} and columns from ${column} on, ${step} apart`;
}
