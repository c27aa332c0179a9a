/** The cells of a layer: what is pointed at is said, a click selects, a drag selects a box, and so do the keys. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { inkOf } from "../../../kits/heatmap/draw_board";
import type { Extent } from "../../../kits/heatmap/value_colors";
import { countSelected, elementsSelected, MOST_SELECTED } from "../../../state/tab_options/flow_selection";
import { isDark, themeColor, themeName } from "../../../ui/theme";
import { useSize } from "../../../ui/use_size";
import { atCellOf, boxAt, type Dragged } from "./element_choice";
import type { Grid } from "./grid";
import { drawCellsOf, drawMarks, type Heat, type HeatColors, type Marks, placingIn, sizeOf } from "./heat";

const HIGHEST = 300;
const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

interface Props {
  layer: number;
  shape: readonly number[];
  grid: Grid;
  heat: Heat;
  extent: Extent;
  computed: Int32Array | null;
  marks: Omit<Marks, "pointed">;
  label: string;
  onPoint: (element: number | null) => void;
  onSelect: (dragged: Dragged | null) => void;
}

export function HeatView({ layer, shape, grid, heat, extent, computed, marks, label, onPoint, onSelect }: Props) {
  const [frame, { width }] = useSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  /** Where a drag, or a box by keys, has begun and where it is, as elements. */
  const [box, setBox] = useState<Dragged | null>(null);
  const drag = useRef<number | null>(null);
  /** Under the pointer, or -1. What is there may become another element, while the pointer rests. */
  const [cell, setCell] = useState(-1);
  const pointed = grid.elements[cell] ?? -1;
  const told = useRef(-1);
  useLayoutEffect(() => {
    if (told.current !== pointed) {
      told.current = pointed;
      onPoint(pointed < 0 ? null : pointed);
    }
  }, [pointed]);
  const [dark, theme] = [isDark.value, themeName.value];
  const ink = useMemo(() => inkOf({ scale: "diverging", extent }, dark), [extent, theme]);
  const placing = placingIn(grid, { width, height: HIGHEST });
  const boxed = box === null || drag.current === null ? null : boxAt(layer, shape, grid, box);
  const colors = useMemo(
    (): HeatColors => ({ line: themeColor("control-line"), selected: themeColor("selected"), text: themeColor("text") }),
    [theme],
  );
  useLayoutEffect(() => {
    if (canvas.current !== null && width > 0) {
      drawCellsOf(canvas.current, grid, heat.numbers, ink, computed, placing, colors);
    }
  }, [grid, heat.numbers, ink, computed, width, colors]);
  useLayoutEffect(() => {
    if (overlay.current !== null && width > 0) {
      const selected =
        boxed === null ? marks.selected : countSelected(boxed) > MOST_SELECTED ? [box!.from, box!.to] : elementsSelected(boxed, shape);
      drawMarks(overlay.current, grid, { ...marks, pointed, selected }, placing, colors);
    }
  }, [grid, marks, pointed, width, box, colors]);
  const size = sizeOf(grid, placing);
  const style = { width: `${size.width}px`, height: `${size.height}px` };

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
    const direction = KEYS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || (direction === undefined && event.key !== "Escape")) {
      return;
    }
    event.preventDefault();
    if (direction === undefined) {
      setBox(null);
      onSelect(null);
      return;
    }
    const known = marks.selected.length > 0;
    const from = !known ? -1 : box !== null && marks.selected.includes(box.to) ? box.to : marks.selected.at(-1)!;
    const to = from < 0 ? firstElement(grid) : neighbour(grid, from, direction);
    const start = event.shiftKey && known ? (box !== null && marks.selected.includes(box.from) ? box.from : marks.selected[0]!) : to;
    if (to >= 0) {
      const next = { from: start, to: atCellOf(grid, shape, to, start) };
      setBox(next);
      onSelect(next);
    }
  };
  return (
    <div
      ref={frame}
      class="flow-heat"
      tabIndex={0}
      role="group"
      aria-label={label}
      data-arrow-keys
      data-testid="flow-heat"
      data-layer={layer}
      data-rows={grid.rows}
      data-columns={grid.columns}
      data-cell-width={placing.cellWidth}
      data-cell-height={placing.cellHeight}
      data-reached={[...marks.reached].length}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => {
        drag.current = null;
        setBox(null);
      }}
      onPointerLeave={() => setCell(-1)}
      onKeyDown={onKeyDown}
    >
      <canvas ref={canvas} role="img" aria-label={label} style={style} />
      <canvas ref={overlay} class="flow-marks" aria-hidden="true" style={style} />
    </div>
  );
}

function firstElement({ elements }: Grid): number {
  return elements.find((element) => element >= 0) ?? -1;
}

/** The next element in a direction, past cells without one; the same one at the border. */
function neighbour(grid: Grid, element: number, [down, right]: readonly [number, number]): number {
  const cell = grid.cellOf(element);
  let [row, column] = [Math.floor(cell / grid.columns), cell % grid.columns];
  for (;;) {
    row += down;
    column += right;
    if (cell < 0 || row < 0 || column < 0 || row >= grid.rows || column >= grid.columns) {
      return element;
    }
    const next = grid.elements[row * grid.columns + column]!;
    if (next >= 0) {
      return next;
    }
  }
}
