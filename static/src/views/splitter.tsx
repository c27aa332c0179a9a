/** A bar between the graph and the values that moves the border between them. */

import { useRef, useState } from "preact/hooks";

interface Props {
  /** Percent of the room that the graph has. */
  share: number;
  onShare: (share: number) => void;
}

const SMALLEST = 25;
const LARGEST = 75;
const KEY_STEP = 3;

export function Splitter({ share, onShare }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  const [dragging, setDragging] = useState(false);
  const set = (value: number): void => onShare(Math.max(SMALLEST, Math.min(LARGEST, value)));
  const onPointerMove = (event: PointerEvent): void => {
    const room = bar.current?.parentElement?.getBoundingClientRect();
    if (dragging && room !== undefined) {
      set(((event.clientY - room.top) / room.height) * 100);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowUp: -KEY_STEP, ArrowDown: KEY_STEP }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      set(share + step);
    }
  };
  return (
    <div
      ref={bar}
      class="splitter"
      role="separator"
      aria-orientation="horizontal"
      tabIndex={0}
      data-arrow-keys
      aria-label="Room for the graph"
      aria-valuemin={SMALLEST}
      aria-valuemax={LARGEST}
      aria-valuenow={Math.round(share)}
      onPointerDown={(event) => (event.currentTarget.setPointerCapture(event.pointerId), setDragging(true))}
      onPointerMove={onPointerMove}
      onPointerUp={() => setDragging(false)}
      onPointerCancel={() => setDragging(false)}
      onKeyDown={onKeyDown}
    />
  );
}
