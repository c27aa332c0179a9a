/** Work of no hurry: done in short slices while the page has nothing else to do, and put off by what the person does. */

import type { Work } from "./time_slices";

const SLICE_MILLISECONDS = 4;
/** After a key or a click, the page may be asked for more. */
const QUIET_MILLISECONDS = 300;
const INPUT = ["keydown", "pointerdown", "wheel"] as const;

/** Works until it is over; returns what gives it up. */
export function whenIdle(work: Work<void>): () => void {
  let cancel = inIdleTime(slice);
  function slice(): void {
    const end = performance.now() + SLICE_MILLISECONDS;
    let isOver = false;
    while (!isOver && performance.now() < end) {
      isOver = work.next().done === true;
    }
    if (isOver) {
      stop();
    } else {
      cancel = inIdleTime(slice);
    }
  }
  const putOff = (): void => {
    cancel();
    const timer = setTimeout(() => (cancel = inIdleTime(slice)), QUIET_MILLISECONDS);
    cancel = () => clearTimeout(timer);
  };
  const stop = (): void => {
    cancel();
    INPUT.forEach((name) => window.removeEventListener(name, putOff, { capture: true }));
  };
  INPUT.forEach((name) => window.addEventListener(name, putOff, { capture: true, passive: true }));
  return stop;
}

/** Safari has no idle callbacks: there, a timer leaves room for what is waiting. */
function inIdleTime(act: () => void): () => void {
  if (typeof window.requestIdleCallback === "function") {
    const request = window.requestIdleCallback(act);
    return () => window.cancelIdleCallback(request);
  }
  const timer = setTimeout(act, 16);
  return () => clearTimeout(timer);
}
