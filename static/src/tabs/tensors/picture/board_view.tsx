/** A board to zoom into, to move and to walk over, value by value. */

import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Board, cellOf, valueAt } from "../../../kits/heatmap/board";
import { DIRECTIONS, nextValue } from "../../../kits/heatmap/cell_walk";
import type { CellValues } from "../../../kits/heatmap/draw_board";
import { type Coloring, drawBoard, drawCursor, drawMarks, inkOf } from "../../../kits/heatmap/draw_board";
import { LARGEST_FITTED_CELL, placingOf, type Viewport, WHOLE, withCell, ZOOM_STEP, zoomed } from "../../../kits/heatmap/viewport";
import { Button } from "../../../ui/controls/button";
import { isDark, themeName } from "../../../ui/theme";
import { type PointerProps, useBoardPointer, useWheelZoom } from "./use_board_pointer";

export interface BoardProps extends PointerProps {
  values: CellValues;
  /** Changes when values have arrived. */
  state: string;
  coloring: Coloring;
  /** What the picture says in numbers. */
  label: string;
  /** The value that has been chosen, counted from the start of the board, or -1. */
  cursor: number;
  /** What is seen of the board. */
  viewport: Viewport;
  /** Which of two compared views it is of; null if it is the only one. */
  side: "A" | "B" | null;
}

/** The buttons beside the board need this many pixels. */
const LEAST_HEIGHT = 94;

/** What a board needs at most, as a style. */
export function mostHeight({ tiles, rows }: Board): string {
  return tiles > 1 ? "" : `${Math.max(LEAST_HEIGHT, rows * LARGEST_FITTED_CELL + 2)}px`;
}

export function BoardView(props: BoardProps) {
  const { board, values, state, coloring, size, frame, label, cursor, viewport, setViewport, editing, side } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [dark, theme] = [isDark.value, themeName.value];
  const ink = useMemo(() => inkOf(coloring, dark), [coloring.scale, coloring.extent.low, coloring.extent.high, theme]);
  const placing = placingOf(viewport, board, size);
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
  const pointer = useBoardPointer(props, canvas, placing);
  useWheelZoom(frame, canvas, viewport.zoom, zoomBy);
  const zoomAtCursor = (factor: number): void => {
    if (cursor < 0) {
      zoomBy(factor);
      return;
    }
    const { row, column } = cellOf(board, cursor);
    zoomBy(factor, placing.x + (column + 0.5) * placing.cellWidth, placing.y + (row + 0.5) * placing.cellHeight);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = keyActions(props, zoomAtCursor).get(event.key);
    if (act !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      act();
    }
  };
  return (
    <div class="board">
      {side !== null && (
        <span class="legend-mark board-side" aria-hidden="true">
          {side}
        </span>
      )}
      <div
        ref={frame}
        class={viewport.zoom > 1 || editing !== null ? "board-frame board-zoomed" : "board-frame"}
        tabIndex={0}
        role="group"
        aria-label={`Picture${side === null ? "" : ` of ${side}`}; arrow keys go from value to value, ${editing === null ? "" : "Enter changes one, "}plus, minus and 0 zoom`}
        data-arrow-keys
        data-testid={side === "B" ? "picture-b" : "picture"}
        data-zoom={viewport.zoom.toFixed(2)}
        {...pointer}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} role="img" aria-label={label} data-testid={side === "B" ? "picture-canvas-b" : "picture-canvas"} />
      </div>
      {side !== "A" && <ZoomButtons isZoomed={viewport.zoom > 1} onZoom={zoomAtCursor} onFit={() => setViewport(WHOLE)} />}
    </div>
  );
}

interface ZoomProps {
  isZoomed: boolean;
  onZoom: (factor: number) => void;
  onFit: () => void;
}

function ZoomButtons({ isZoomed, onZoom, onFit }: ZoomProps) {
  return (
    <div class="board-buttons" role="group" aria-label="Zoom the picture">
      <Button testid="picture-zoom-in" label="Zoom in to the picture" onClick={() => onZoom(ZOOM_STEP)}>
        +
      </Button>
      <Button testid="picture-zoom-out" label="Zoom out of the picture" inactive={!isZoomed} onClick={() => onZoom(1 / ZOOM_STEP)}>
        {"\u2212"}
      </Button>
      <Button testid="picture-zoom-fit" label="Fit the whole picture" inactive={!isZoomed} onClick={onFit}>
        Fit
      </Button>
    </div>
  );
}

/** What keys do. */
function keyActions(
  { board, cursor, editing, setViewport, onCursor }: BoardProps,
  zoom: (factor: number) => void,
): Map<string, () => void> {
  const walk = (direction: readonly [number, number]): void => {
    const next = cursor < 0 ? 0 : nextValue(board, cellOf(board, cursor), direction, (row, column) => valueAt(board, row, column));
    onCursor(next < 0 ? cursor : next);
  };
  const actions = new Map(Object.entries(DIRECTIONS).map(([key, direction]) => [key, () => walk(direction)]));
  actions.set("+", () => zoom(ZOOM_STEP));
  actions.set("=", () => zoom(ZOOM_STEP));
  actions.set("-", () => zoom(1 / ZOOM_STEP));
  actions.set("0", () => setViewport(WHOLE));
  actions.set("Home", () => onCursor(0));
  actions.set("End", () => onCursor(board.count - 1));
  if (editing !== null && cursor >= 0) {
    const change = (): void => editing.paint([cursor], true);
    actions.set("Enter", change);
    actions.set(" ", change);
  }
  return actions;
}
