/** A tensor in its own shape as a figure: its cells as pixels, everything around them as vectors. */

import { INK, SIZE } from "../../ui/figure/axes";
import type { Drawing } from "../../ui/figure/figure";
import { scaleOf, ticksOf } from "../../ui/figure/scale";
import { element, type SvgElement, textElement } from "../../ui/figure/svg";
import { brief, counted, numberText } from "../../ui/text/format";
import { type Board, cellOf, type Part, partOf, SINGLE_CELL, valueAt } from "./board";
import type { Coloring } from "./draw_board";
import { type Ink, isInGaps, paint } from "./paint_cells";
import type { Census } from "./value_census";
import { colorNumber, colorsOf, cssColor, isLight, valueOnScale } from "./value_colors";
import { fittedCell, type Size } from "./viewport";

/** Writes pixels as a PNG in a `data:` address. */
export type ToPng = (width: number, height: number, draw: (pixels: Uint32Array) => void) => string;

interface PictureShown {
  board: Board;
  /** What is seen of it. */
  part: Part;
  values: { numbers: ArrayLike<number>; gaps: readonly [number, number][] };
  coloring: Coloring;
  ink: Ink;
  census: Census;
  /** What goes down and to the right. */
  labels: { x: string; y: string };
  /** Whether it is a vector in several rows. */
  isWrapped: boolean;
}

const ROOM: Size = { width: 640, height: 480 };
const LEFT = 74;
const TOP = 10;
const FINENESS = 2;
const BORDER = "#858d9a";
/** Cells of at least this size have their value written in them. */
const WRITTEN: Size = { width: 46, height: 16 };
const MOST_WRITTEN = 2000;
const SPECIAL = [
  ["nan", "NaN", NaN],
  ["positiveInfinity", "+inf", Infinity],
  ["negativeInfinity", "\u2212inf", -Infinity],
] as const;

export function pictureDrawing(shown: PictureShown, toPng: ToPng): Drawing {
  const { board, part, labels } = shown;
  const cell = fittedCell(part, ROOM);
  const [width, height] = [Math.max(1, cell.width * part.columns), Math.max(1, cell.height * part.rows)];
  const seen = partOf(board, part);
  const legend = legendOf(shown, TOP + height + 52, toPng);
  return {
    width: LEFT + Math.max(width, 480) + 20,
    height: legend.bottom,
    content: [
      cellImage(shown, seen, width, height, toPng),
      ...borders(board, part, cell),
      ...written(shown, seen, cell),
      ...(board.tiles > 1 ? [] : ticks(shown, cell)),
      textElement(labels.x, LEFT + width / 2, TOP + height + 38, SIZE, { fill: INK, "text-anchor": "middle" }),
      textElement(labels.y, 0, 0, SIZE, {
        fill: INK,
        "text-anchor": "middle",
        transform: `translate(${SIZE} ${TOP + height / 2}) rotate(-90)`,
      }),
      ...legend.content,
    ],
  };
}

function cellImage({ values, ink }: PictureShown, board: Board, width: number, height: number, toPng: ToPng): SvgElement {
  const [across, down] = [Math.ceil(width * FINENESS), Math.ceil(height * FINENESS)];
  const placing = { x: 0, y: 0, cellWidth: across / board.columns, cellHeight: down / board.rows };
  const href = toPng(across, down, (data) =>
    paint({ width: across, height: down, data }, board, values.numbers, isInGaps(values.gaps), placing, ink),
  );
  return element("image", {
    class: "cells",
    x: LEFT,
    y: TOP,
    width,
    height,
    preserveAspectRatio: "none",
    "image-rendering": "pixelated",
    href,
    "data-cells": cellCount(board),
  });
}

function cellCount({ rowBase, columnBase, count }: Board): number {
  const used = (bases: Int32Array): number => bases.reduce((sum, base) => sum + Number(base >= 0), 0);
  return Math.min(count, used(rowBase) * used(columnBase));
}

/** Around what is seen of each tile. */
function borders(board: Board, part: Part, cell: Size): SvgElement[] {
  const slice = board.tileRows * board.tileColumns;
  return Array.from({ length: slice === 0 ? 0 : board.tiles }, (_, tile) => {
    const { row, column } = cellOf(board, tile * slice);
    const [left, right] = [column, column + board.tileColumns].map((at) => Math.max(0, Math.min(part.columns, at - part.column))) as [
      number,
      number,
    ];
    const [top, bottom] = [row, row + board.tileRows].map((at) => Math.max(0, Math.min(part.rows, at - part.row))) as [number, number];
    const border = {
      x: LEFT + left * cell.width,
      y: TOP + top * cell.height,
      width: (right - left) * cell.width,
      height: (bottom - top) * cell.height,
    };
    return border.width > 0 && border.height > 0 ? [element("rect", { ...border, fill: "none", stroke: BORDER })] : [];
  }).flat();
}

/** The values, in cells that are large enough. */
function written({ values, ink }: PictureShown, board: Board, cell: Size): SvgElement[] {
  if (cell.width < WRITTEN.width || cell.height < WRITTEN.height || cellCount(board) > MOST_WRITTEN) {
    return [];
  }
  const texts: SvgElement[] = [];
  for (let row = 0; row < board.rows; row++) {
    for (let column = 0; column < board.columns; column++) {
      const k = valueAt(board, row, column);
      if (k < 0) {
        continue;
      }
      const value = values.numbers[k]!;
      const text = numberText(value, "");
      const [x, y] = [LEFT + (column + 0.5) * cell.width, TOP + (row + 0.5) * cell.height];
      const finite = Number.isFinite(value);
      // What is not finite has a pattern behind it.
      const plate = finite ? [] : [element("rect", { x: x - 17, y: y - 8, width: 34, height: 16, fill: "#ffffff" })];
      const fill = finite && !isLight(ink.colors[ink.colorNumber(value)]!) ? "#ffffff" : "#000000";
      texts.push(
        ...plate,
        textElement(text, x, y + 4, Math.min(11, (cell.width * 1.6) / text.length), {
          class: "value",
          "text-anchor": "middle",
          fill,
        }),
      );
    }
  }
  return texts;
}

/** Numbers of rows and columns; a vector that is wrapped has the index at which each of its rows begins. */
function ticks({ board, part, isWrapped }: PictureShown, cell: Size): SvgElement[] {
  const bottom = TOP + part.rows * cell.height;
  const places = (first: number, count: number): number[] =>
    ticksOf(scaleOf(first, first + Math.max(1, count - 1), false), 8).filter((tick) => Number.isInteger(tick) && tick < first + count);
  return [
    ...places(part.column, part.columns).map((column) =>
      textElement(String(column), LEFT + (column - part.column + 0.5) * cell.width, bottom + 16, SIZE, {
        fill: INK,
        "text-anchor": "middle",
      }),
    ),
    ...places(part.row, part.rows).map((row) =>
      textElement(String(isWrapped ? board.rowBase[row] : row), LEFT - 6, TOP + (row - part.row + 0.5) * cell.height + SIZE / 3, SIZE, {
        fill: INK,
        "text-anchor": "end",
      }),
    ),
  ];
}

const BAR: Size = { width: 300, height: 12 };
const STOPS = 16;

/** The colours in numbers, and what the patterns stand for. */
function legendOf({ coloring, census, ink }: PictureShown, top: number, toPng: ToPng): { content: SvgElement[]; bottom: number } {
  const { scale, extent } = coloring;
  const colors = colorsOf(scale, false);
  const stops = Array.from({ length: STOPS + 1 }, (_, k) =>
    element("stop", { offset: `${(100 * k) / STOPS}%`, "stop-color": cssColor(colors[colorNumber(k / STOPS)]!) }),
  );
  const places = scale === "log" ? [0, 0.25, 0.5, 0.75, 1] : [0, 0.5, 1];
  const special = SPECIAL.filter(([name]) => census[name] > 0);
  const patterns = special.flatMap(([name, label, value], k) => {
    const [x, y] = [LEFT + k * 150, top + 38];
    const href = toPng(48, 28, (data) =>
      paint({ width: 48, height: 28, data }, SINGLE_CELL, [value], null, { x: 0, y: 0, cellWidth: 48, cellHeight: 28 }, ink),
    );
    return [
      element("image", { class: "pattern", x, y, width: 24, height: 14, href }),
      element("rect", { x, y, width: 24, height: 14, fill: "none", stroke: BORDER }),
      textElement(`${label}: ${counted(census[name], "value")}`, x + 30, y + 11, SIZE, { fill: INK }),
    ];
  });
  return {
    content: [
      element("defs", {}, element("linearGradient", { id: "colors-of-values" }, ...stops)),
      element("rect", { class: "color-scale", x: LEFT, y: top, ...BAR, fill: "url(#colors-of-values)", stroke: BORDER }),
      ...places.map((place, k) =>
        textElement(brief(valueOnScale(scale, extent, place)), LEFT + place * BAR.width, top + BAR.height + 14, SIZE, {
          fill: INK,
          "text-anchor": k === 0 ? "start" : k === places.length - 1 ? "end" : "middle",
        }),
      ),
      ...patterns,
    ],
    bottom: top + (special.length > 0 ? 58 : 32),
  };
}
