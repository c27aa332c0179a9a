/** Which number of every element colours a layer, and how it is drawn. */

import { beginWriting, contextOf, drawCells, WRITTEN, writeValue } from "../../../kits/heatmap/draw_board";
import type { Ink, PaintedBoard } from "../../../kits/heatmap/paint_cells";
import type { Extent } from "../../../kits/heatmap/value_colors";
import { fittedCell, type Placing, type Size } from "../../../kits/heatmap/viewport";
import type { FlowColoring } from "../../../state/tab_options/flow_options";
import type { Grid } from "./grid";

/** What is known of a layer; null where it is not recorded, undefined while it is not loaded. */
export interface LayerNumbers {
  values: Float32Array | null | undefined;
  gradients: Float32Array | null | undefined;
}

export interface Heat {
  what: "gradient" | "activation" | "flow" | "nothing";
  numbers: Float32Array | null;
}

/** The numbers that colour a layer, or others if those asked for are missing. `flow` is null if no flow leads to the layer. */
export function heatOf(coloring: FlowColoring, numbers: LayerNumbers | undefined, flow: Float32Array | null): Heat {
  if (coloring === "flow" && flow !== null) {
    return { what: "flow", numbers: flow };
  }
  const gradient: Heat = { what: "gradient", numbers: numbers?.gradients ?? null };
  const activation: Heat = { what: "activation", numbers: numbers?.values ?? null };
  const [wanted, other] = coloring === "values" ? [activation, gradient] : [gradient, activation];
  return [wanted, other].find((heat) => heat.numbers !== null) ?? { what: "nothing", numbers: null };
}

/** As far from zero as the finite numbers are, on both sides. */
export function extentAroundZero(numbers: Float32Array | null): Extent {
  let largest = 0;
  for (let k = 0; numbers !== null && k < numbers.length; k++) {
    const size = Math.abs(numbers[k]!);
    if (size > largest && size !== Infinity) {
      largest = size;
    }
  }
  return { low: -largest, high: largest };
}

export interface Marks {
  selected: readonly number[];
  /** Elements that a flow connects with what is pointed at. */
  reached: Iterable<number>;
  /** Under the pointer, or -1. */
  pointed: number;
}

/** The distance of two strokes across what was not computed, in pixels. */
const STRIPE = 8;
const SMALLEST_FRAME = 4;

/** Where the cells of a grid lie in a room. */
export function placingIn(grid: Grid, room: Size): Placing {
  const cell = fittedCell(grid, room);
  return { x: 0, y: 0, cellWidth: cell.width, cellHeight: cell.height };
}

/** The colours of frames and strokes. */
export interface HeatColors {
  line: string;
  selected: string;
  text: string;
}

/** How large the cells of a grid are together, in pixels of the page. */
export function sizeOf({ rows, columns }: Grid, placing: Placing): Size {
  return { width: Math.ceil(columns * placing.cellWidth), height: Math.ceil(rows * placing.cellHeight) };
}

/** Draws what pointing and selecting leave unchanged. `computed` is 0 for elements with unknown flows; null if all are known. */
export function drawCellsOf(
  canvas: HTMLCanvasElement,
  grid: Grid,
  { numbers, computed }: { numbers: Float32Array | null; computed: Int32Array | null },
  ink: Ink,
  placing: Placing,
  colors: HeatColors,
): void {
  const { rows, columns, elements } = grid;
  const size = sizeOf(grid, placing);
  const board: PaintedBoard = {
    rows,
    columns,
    count: elements.length,
    rowBase: Int32Array.from({ length: rows }, (_, row) => row * columns),
    columnBase: Int32Array.from({ length: columns }, (_, column) => column),
  };
  const shown = new Float32Array(elements.length);
  elements.forEach((element, cell) => (shown[cell] = element < 0 || numbers === null ? 0 : numbers[element]!));
  const isEmpty = (cell: number): boolean => elements[cell]! < 0;
  const context = drawCells(canvas, size, board, shown, isEmpty, placing, { ...ink, waiting: ink.background });
  if (context === null) {
    return;
  }
  if (placing.cellWidth >= WRITTEN.width && placing.cellHeight >= WRITTEN.height && numbers !== null) {
    beginWriting(context);
    elements.forEach((element, cell) => {
      if (element >= 0) {
        const [x, y] = [(cell % columns) + 0.5, Math.floor(cell / columns) + 0.5];
        writeValue(context, shown[cell]!, x * placing.cellWidth, y * placing.cellHeight, placing.cellWidth, ink);
      }
    });
  }
  if (computed !== null) {
    hatch(context, grid, computed, placing, colors.text);
  }
  context.strokeStyle = colors.line;
  context.lineWidth = 1;
  context.strokeRect(0.5, 0.5, size.width - 1, size.height - 1);
}

/** Draws the frames alone, on a canvas that lies over the cells. */
export function drawMarks(canvas: HTMLCanvasElement, grid: Grid, marks: Marks, placing: Placing, colors: HeatColors): void {
  const size = sizeOf(grid, placing);
  const context = contextOf(canvas, size);
  if (context === null) {
    return;
  }
  context.clearRect(0, 0, size.width, size.height);
  frames(context, grid, marks.reached, placing, [[colors.text, 1.5]]);
  frames(context, grid, marks.selected, placing, [
    ["#ffffff", 3.5],
    [colors.selected, 2],
  ]);
  frames(context, grid, marks.pointed < 0 ? [] : [marks.pointed], placing, [
    ["#ffffff", 3],
    ["#000000", 1.5],
  ]);
}

/** Frames around elements, at least large enough to be seen. */
function frames(
  context: CanvasRenderingContext2D,
  grid: Grid,
  elements: Iterable<number>,
  placing: Placing,
  lines: readonly (readonly [color: string, width: number])[],
): void {
  const cells = [...new Set(Array.from(elements, grid.cellOf))].filter((cell) => cell >= 0);
  const [width, height] = [Math.max(SMALLEST_FRAME, placing.cellWidth - 1), Math.max(SMALLEST_FRAME, placing.cellHeight - 1)];
  for (const [color, line] of lines) {
    context.strokeStyle = color;
    context.lineWidth = line;
    for (const cell of cells) {
      const [x, y] = [((cell % grid.columns) + 0.5) * placing.cellWidth, (Math.floor(cell / grid.columns) + 0.5) * placing.cellHeight];
      context.strokeRect(x - width / 2, y - height / 2, width, height);
    }
  }
}

/** Strokes across every cell of which the flows are not known: cells side by side are filled at once, since there may be thousands. */
function hatch(
  context: CanvasRenderingContext2D,
  { elements, rows, columns }: Grid,
  computed: Int32Array,
  placing: Placing,
  color: string,
): void {
  const pattern = context.createPattern(hatchTile(color), "repeat");
  if (pattern === null) {
    return;
  }
  context.fillStyle = pattern;
  const isUnknown = (cell: number): boolean => elements[cell]! >= 0 && computed[elements[cell]!] === 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const first = column;
      while (column < columns && isUnknown(row * columns + column)) {
        column += 1;
      }
      context.fillRect(first * placing.cellWidth, row * placing.cellHeight, (column - first) * placing.cellWidth, placing.cellHeight);
    }
  }
}

/** A piece of strokes that goes on in the pieces beside it. */
function hatchTile(color: string): HTMLCanvasElement {
  const tile = document.createElement("canvas");
  tile.width = STRIPE;
  tile.height = STRIPE;
  const context = tile.getContext("2d");
  if (context !== null) {
    context.strokeStyle = color;
    for (const start of [-STRIPE, 0, STRIPE]) {
      context.moveTo(start - 1, STRIPE + 1);
      context.lineTo(start + STRIPE + 1, -1);
    }
    context.stroke();
  }
  return tile;
}
