/** A bar between two parts of the page that moves the border between them. */

import { useRef, useState } from "preact/hooks";

interface Props {
  /** What the part before the bar is called. */
  of?: string;
  /** The direction of the bar: the parts are above and below a horizontal one. */
  orientation?: "horizontal" | "vertical";
  /** Percent of the room that the part before the bar has. */
  share: number;
  onShare: (share: number) => void;
}

const SMALLEST = 25;
const LARGEST = 75;
const KEY_STEP = 3;

export function Splitter({ of = "the graph", orientation = "horizontal", share, onShare }: Props) {
  const isHorizontal = orientation === "horizontal";
  const bar = useRef<HTMLDivElement>(null);
  const [dragging, setDragging] = useState(false);
  const set = (value: number): void => onShare(Math.max(SMALLEST, Math.min(LARGEST, value)));
  const onPointerMove = (event: PointerEvent): void => {
    const room = bar.current?.parentElement?.getBoundingClientRect();
    if (dragging && room !== undefined) {
      set((isHorizontal ? (event.clientY - room.top) / room.height : (event.clientX - room.left) / room.width) * 100);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = (isHorizontal ? { ArrowUp: -KEY_STEP, ArrowDown: KEY_STEP } : { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP })[
      event.key as never
    ];
    if (step !== undefined) {
      event.preventDefault();
      set(share + step);
    }
  };
  return (
    <div
      ref={bar}
      class={isHorizontal ? "splitter" : "splitter splitter-vertical"}
      role="separator"
      aria-orientation={orientation}
      tabIndex={0}
      data-arrow-keys
      aria-label={`Size of ${of}`}
      aria-valuemin={SMALLEST}
      aria-valuemax={LARGEST}
      aria-valuenow={Math.round(share)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragging(true);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => setDragging(false)}
      onPointerCancel={() => setDragging(false)}
      onKeyDown={onKeyDown}
    />
  );
}
