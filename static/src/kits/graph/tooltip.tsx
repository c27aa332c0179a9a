/** What is under the pointer in a graph, in words: below its node, and inside the frame of the graph. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Between the tooltip and the edges of the frame, in pixels. */
const MARGIN = 4;

interface Props {
  testid: string;
  /** One below the other, where a drawing needs the room beside it. */
  isColumn?: boolean;
  /** The middle of the lower edge of the node, in the frame. */
  x: number;
  y: number;
  children: ComponentChildren;
}

export function Tooltip({ testid, isColumn = false, x, y, children }: Props) {
  const element = useRef<HTMLDivElement>(null);
  // Each time: other words need other room.
  useLayoutEffect(() => {
    const { current } = element;
    const frame = current?.offsetParent ?? null;
    if (current !== null && frame !== null) {
      const most = frame.clientWidth - MARGIN - current.offsetWidth;
      current.style.left = `${Math.max(MARGIN, Math.min(x - current.offsetWidth / 2, most))}px`;
    }
  });
  return (
    <div
      ref={element}
      class={isColumn ? "graph-tooltip module-tooltip" : "graph-tooltip"}
      data-testid={testid}
      style={{ top: `${y}px` }}
      aria-hidden="true"
    >
      {children}
    </div>
  );
}
