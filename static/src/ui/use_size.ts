/** How much room an element has. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { afterFrame } from "../state/after_frame";

export interface Room {
  width: number;
  height: number;
}

/** With `isLate`, another size is known a frame later: fitting what is in the element to it does not hold up the frame with the change. */
export function useSize(isLate = false): [RefObject<HTMLDivElement | null>, Room] {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Room>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) {
      return undefined;
    }
    const measure = (): void =>
      setSize((before) =>
        before.width === current.clientWidth && before.height === current.clientHeight
          ? before
          : { width: current.clientWidth, height: current.clientHeight },
      );
    let cancel = (): void => undefined;
    const observer = new ResizeObserver(() => {
      cancel();
      if (isLate) {
        cancel = afterFrame(measure);
      } else {
        measure();
      }
    });
    observer.observe(current);
    measure();
    return () => {
      cancel();
      observer.disconnect();
    };
  }, []);
  return [element, size];
}
