/** The height of a frame: what its content asks for, within limits. */

import { useRef, useState } from "preact/hooks";

/** In pixels. */
const LOWEST = 40;
const HIGHEST = 20_000;
/** Until it has said something. */
const FIRST_HEIGHT = 450;

/** The height, and what takes the height that is asked for. */
export function useFrameHeight(): [number, (asked: number) => void] {
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const grown = useRef(0);
  const ask = (asked: number): void =>
    setHeight((given) => {
      const more = Math.min(HIGHEST, Math.max(LOWEST, Math.ceil(asked))) - given;
      // Content that is as high as its frame and some more would grow without an end.
      if (more === 0 || (more > 0 && more === grown.current)) {
        return given;
      }
      grown.current = more;
      return given + more;
    });
  return [height, ask];
}
