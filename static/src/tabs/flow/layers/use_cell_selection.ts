/** Selects elements by the pointer and by keys: a click or an arrow selects one, a drag or an arrow with Shift a box. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { DIRECTIONS, nextValue } from "../../../kits/heatmap/cell_walk";
import type { Placing } from "../../../kits/heatmap/viewport";
import { atCellOf, boxAt, type Dragged } from "./element_choice";
import type { Grid } from "./grid";
import type { Marks } from "./heat";

export interface CellProps {
  layer: number;
  shape: readonly number[];
  grid: Grid;
  marks: Omit<Marks, "pointed">;
  onPoint: (element: number | null) => void;
  onSelect: (dragged: Dragged | null) => void;
}

export function useCellSelection(
  { layer, shape, grid, marks, onPoint, onSelect }: CellProps,
  canvas: RefObject<HTMLCanvasElement | null>,
  placing: Placing,
) {
  /** The start of a drag or of a box by keys, and its current end, as elements. */
  const [box, setBox] = useState<Dragged | null>(null);
  const drag = useRef<number | null>(null);
  /** Under the pointer, or -1. What is there may become another element, while the pointer rests. */
  const [cell, setCell] = useState(-1);
  const pointed = grid.elements[cell] ?? -1;
  const reported = useRef(-1);
  useLayoutEffect(() => {
    if (reported.current !== pointed) {
      reported.current = pointed;
      onPoint(pointed < 0 ? null : pointed);
    }
  }, [pointed]);
  const cellUnder = (event: PointerEvent): number => {
    const { left, top } = canvas.current!.getBoundingClientRect();
    const [row, column] = [Math.floor((event.clientY - top) / placing.cellHeight), Math.floor((event.clientX - left) / placing.cellWidth)];
    return row < 0 || column < 0 || row >= grid.rows || column >= grid.columns ? -1 : row * grid.columns + column;
  };
  const elementUnder = (event: PointerEvent): number => grid.elements[cellUnder(event)] ?? -1;
  const onPointerDown = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    const element = elementUnder(event);
    if (element >= 0 && event.button === 0) {
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = element;
      setBox({ from: element, to: element });
    }
  };
  const onPointerMove = (event: PointerEvent): void => {
    const element = elementUnder(event);
    setCell(cellUnder(event));
    if (drag.current !== null && element >= 0 && box?.to !== element) {
      setBox({ from: drag.current, to: element });
    }
  };
  const onPointerUp = (): void => {
    if (drag.current !== null && box !== null) {
      drag.current = null;
      onSelect(box);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = DIRECTIONS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || (direction === undefined && event.key !== "Escape")) {
      return;
    }
    event.preventDefault();
    if (direction === undefined) {
      setBox(null);
      onSelect(null);
      return;
    }
    const next = keyTarget(grid, shape, marks.selected, box, direction, event.shiftKey);
    if (next !== null) {
      setBox(next);
      onSelect(next);
    }
  };
  const onPointerCancel = (): void => {
    drag.current = null;
    setBox(null);
  };
  return {
    box,
    /** What is being dragged over; null where nothing is. */
    boxed: box === null || drag.current === null ? null : boxAt(layer, shape, grid, box),
    pointed,
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onPointerLeave: () => setCell(-1), onKeyDown },
  };
}

/** What an arrow key selects: the next element, or with `extend` the box up to it; null where there is none. */
function keyTarget(
  grid: Grid,
  shape: readonly number[],
  selected: readonly number[],
  box: Dragged | null,
  direction: readonly [number, number],
  extend: boolean,
): Dragged | null {
  const [first, last] = [selected[0], selected.at(-1)];
  /** An end of the box that was dragged last, as long as it is selected. */
  const kept = (end: number | undefined): number | undefined => (end !== undefined && selected.includes(end) ? end : undefined);
  const from = kept(box?.to) ?? last;
  const to = from === undefined ? firstElement(grid) : neighbour(grid, from, direction);
  const start = extend ? (kept(box?.from) ?? first ?? to) : to;
  return to < 0 ? null : { from: start, to: atCellOf(grid, shape, to, start) };
}

function firstElement({ elements }: Grid): number {
  return elements.find((element) => element >= 0) ?? -1;
}

/** The next element in a direction; the same one at the border. */
function neighbour(grid: Grid, element: number, direction: readonly [number, number]): number {
  const cell = grid.cellOf(element);
  const from = { row: Math.floor(cell / grid.columns), column: cell % grid.columns };
  const next = cell < 0 ? -1 : nextValue(grid, from, direction, (row, column) => grid.elements[row * grid.columns + column]!);
  return next < 0 ? element : next;
}
