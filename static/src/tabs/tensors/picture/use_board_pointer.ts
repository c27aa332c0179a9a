/** The pointer over a board: a click selects a value, dragging moves the board or paints, and the wheel zooms. */

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Board, line, valueAt } from "../../../kits/heatmap/board";
import { moved, type Placing, type Size, type Viewport } from "../../../kits/heatmap/viewport";
import type { Editing } from "../edit/use_editing";

/** Movements of the pointer below this many pixels are no dragging. */
const STILL = 4;

export interface PointerProps {
  board: Board;
  size: Size;
  frame: RefObject<HTMLDivElement | null>;
  setViewport: (next: Viewport | ((before: Viewport) => Viewport)) => void;
  onCursor: (k: number) => void;
  onHover: (k: number) => void;
  /** Where cells can be painted: dragging paints, and with Shift it moves the board. */
  editing: Editing | null;
}

export function useBoardPointer(props: PointerProps, canvas: RefObject<HTMLCanvasElement | null>, placing: Placing) {
  const { board, size, frame, setViewport, onCursor, onHover, editing } = props;
  const drag = useRef<{ x: number; y: number; far: boolean } | null>(null);
  /** The value that the brush was on last. */
  const brushed = useRef<number | null>(null);
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
  const onPointerCancel = (): void => {
    drag.current = null;
    brushed.current = null;
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onPointerLeave: () => onHover(-1) };
}

/** Zooms with the wheel, at the pointer. */
export function useWheelZoom(
  frame: RefObject<HTMLDivElement | null>,
  canvas: RefObject<HTMLCanvasElement | null>,
  zoom: number,
  zoomBy: (factor: number, x: number, y: number) => void,
): void {
  const latest = useRef({ zoomBy, zoom });
  latest.current = { zoomBy, zoom };
  useEffect(() => {
    const element = frame.current;
    // Only a listener declared as active may keep the page from scrolling.
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
}
