/** A board to zoom into, to move and to walk over, value by value. */

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Board, cellOf, line, valueAt } from "../../../kits/heatmap/board";
import type { CellValues } from "../../../kits/heatmap/draw_board";
import { type Coloring, drawBoard, drawCursor, drawMarks, inkOf } from "../../../kits/heatmap/draw_board";
import {
  LARGEST_FITTED_CELL,
  moved,
  placingOf,
  type Size,
  type Viewport,
  WHOLE,
  withCell,
  ZOOM_STEP,
  zoomed,
} from "../../../kits/heatmap/viewport";
import { Button } from "../../../ui/controls/button";
import { isDark, themeName } from "../../../ui/theme";
import type { Editing } from "../edit/use_editing";

interface Props {
  board: Board;
  values: CellValues;
  /** Changes when values have arrived. */
  state: string;
  coloring: Coloring;
  size: Size;
  frame: RefObject<HTMLDivElement | null>;
  /** What the picture says in numbers. */
  label: string;
  /** The value that has been chosen, counted from the start of the board, or -1. */
  cursor: number;
  /** What is seen of the board. */
  viewport: Viewport;
  setViewport: (next: Viewport | ((before: Viewport) => Viewport)) => void;
  onCursor: (k: number) => void;
  onHover: (k: number) => void;
  /** Where cells can be painted: dragging paints, and with Shift it moves the board. */
  editing?: Editing | null;
}

const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/** The buttons beside the board need this many pixels. */
const LEAST_HEIGHT = 94;

/** Movements of the pointer below this many pixels are no dragging. */
const STILL = 4;

export function BoardView({
  board,
  values,
  state,
  coloring,
  size,
  frame,
  label,
  cursor,
  viewport,
  setViewport,
  onCursor,
  onHover,
  editing = null,
}: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<{ x: number; y: number; far: boolean } | null>(null);
  /** The value that the brush was on last. */
  const brushed = useRef<number | null>(null);
  const [dark, theme] = [isDark.value, themeName.value];
  const ink = useMemo(() => inkOf(coloring, dark), [coloring.scale, coloring.extent.low, coloring.extent.high, theme]);
  const placing = placingOf(viewport, board, size);
  useLayoutEffect(() => setViewport(WHOLE), [board.rows, board.columns]);
  useLayoutEffect(() => {
    if (cursor >= 0) {
      const { row, column } = cellOf(board, cursor);
      setViewport((before) => withCell(before, row, column, board, size));
    }
  }, [cursor]);
  useLayoutEffect(() => {
    if (canvas.current !== null && size.width > 0) {
      drawBoard(canvas.current, size, board, values, placing, ink);
      if (editing !== null) {
        drawMarks(canvas.current, board, editing.changed.keys(), placing);
      }
      if (cursor >= 0 && cursor < board.count) {
        drawCursor(canvas.current, board, cursor, placing);
      }
    }
  }, [board, values, state, ink, viewport, size.width, size.height, cursor, editing?.changed]);

  const zoomBy = (factor: number, x = size.width / 2, y = size.height / 2): void =>
    setViewport((before) => zoomed(before, factor, x, y, board, size));
  const latest = useRef({ zoomBy, zoom: viewport.zoom });
  latest.current = { zoomBy, zoom: viewport.zoom };
  useEffect(() => {
    const element = frame.current;
    // Only a listener that says so may keep the page from scrolling.
    const onWheel = (event: WheelEvent): void => {
      if (event.deltaY !== 0 && (event.deltaY < 0 || latest.current.zoom > 1)) {
        event.preventDefault();
        const { left, top } = canvas.current!.getBoundingClientRect();
        latest.current.zoomBy(2 ** (-event.deltaY / 300), event.clientX - left, event.clientY - top);
      }
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, []);

  const valueUnder = (event: PointerEvent): number => {
    const { left, top } = canvas.current!.getBoundingClientRect();
    return valueAt(
      board,
      Math.floor((event.clientY - top - placing.y) / placing.cellHeight),
      Math.floor((event.clientX - left - placing.x) / placing.cellWidth),
    );
  };
  const paint = (k: number): void => {
    if (k >= 0) {
      editing?.paint(brushed.current === null ? [k] : line(board, brushed.current, k), brushed.current === null);
      brushed.current = k;
    }
  };
  const onPointerDown = (event: PointerEvent): void => {
    frame.current?.setPointerCapture(event.pointerId);
    const k = valueUnder(event);
    if (editing !== null && event.button === 0 && !event.shiftKey && k >= 0) {
      brushed.current = null;
      onCursor(k);
      paint(k);
    } else {
      drag.current = { x: event.clientX, y: event.clientY, far: false };
    }
  };
  const onPointerMove = (event: PointerEvent): void => {
    const from = drag.current;
    if (brushed.current !== null) {
      paint(valueUnder(event));
      onHover(valueUnder(event));
    } else if (from === null) {
      onHover(valueUnder(event));
    } else if (from.far || Math.hypot(event.clientX - from.x, event.clientY - from.y) >= STILL) {
      setViewport((before) => moved(before, event.clientX - from.x, event.clientY - from.y, board, size));
      drag.current = { x: event.clientX, y: event.clientY, far: true };
    }
  };
  const onPointerUp = (event: PointerEvent): void => {
    if (drag.current !== null && !drag.current.far) {
      onCursor(valueUnder(event));
    }
    drag.current = null;
    brushed.current = null;
  };
  const zoomAtCursor = (factor: number): void => {
    if (cursor < 0) {
      zoomBy(factor);
      return;
    }
    const { row, column } = cellOf(board, cursor);
    zoomBy(factor, placing.x + (column + 0.5) * placing.cellWidth, placing.y + (row + 0.5) * placing.cellHeight);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = KEYS[event.key];
    const act =
      direction !== undefined
        ? () => onCursor(cursor < 0 ? 0 : neighbour(board, cursor, direction))
        : event.key === "+" || event.key === "="
          ? () => zoomAtCursor(ZOOM_STEP)
          : event.key === "-"
            ? () => zoomAtCursor(1 / ZOOM_STEP)
            : event.key === "0"
              ? () => setViewport(WHOLE)
              : editing !== null && cursor >= 0 && (event.key === "Enter" || event.key === " ")
                ? () => editing.paint([cursor], true)
                : event.key === "Home"
                  ? () => onCursor(0)
                  : event.key === "End"
                    ? () => onCursor(board.count - 1)
                    : null;
    if (act !== null && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      act();
    }
  };
  return (
    <div class="board" style={{ maxHeight: board.tiles > 1 ? "" : `${Math.max(LEAST_HEIGHT, board.rows * LARGEST_FITTED_CELL + 2)}px` }}>
      <div
        ref={frame}
        class={viewport.zoom > 1 || editing !== null ? "board-frame board-zoomed" : "board-frame"}
        tabIndex={0}
        role="group"
        aria-label={`Picture; arrow keys go from value to value, ${editing === null ? "" : "Enter changes one, "}plus, minus and 0 zoom`}
        data-arrow-keys
        data-testid="picture"
        data-zoom={viewport.zoom.toFixed(2)}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => (drag.current = brushed.current = null)}
        onPointerLeave={() => onHover(-1)}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} role="img" aria-label={label} data-testid="picture-canvas" />
      </div>
      <div class="board-buttons" role="group" aria-label="Zoom the picture">
        <Button testid="picture-zoom-in" label="Zoom in to the picture" onClick={() => zoomAtCursor(ZOOM_STEP)}>
          +
        </Button>
        <Button
          testid="picture-zoom-out"
          label="Zoom out of the picture"
          inactive={viewport.zoom <= 1}
          onClick={() => zoomAtCursor(1 / ZOOM_STEP)}
        >
          {"\u2212"}
        </Button>
        <Button testid="picture-zoom-fit" label="Fit the whole picture" inactive={viewport.zoom <= 1} onClick={() => setViewport(WHOLE)}>
          Fit
        </Button>
      </div>
    </div>
  );
}

/** The value of the next cell in a direction, past what lies between tiles; the same one at the border. */
function neighbour(board: Board, k: number, [down, right]: readonly [number, number]): number {
  let { row, column } = cellOf(board, k);
  for (;;) {
    row += down;
    column += right;
    if (row < 0 || column < 0 || row >= board.rows || column >= board.columns) {
      return k;
    }
    const next = valueAt(board, row, column);
    if (next >= 0) {
      return next;
    }
  }
}
