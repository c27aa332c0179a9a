/** Whether an element is in sight, or soon will be: what is not need not be read and drawn. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Pixels beyond the window, and beyond what scrolls in it. */
const MARGIN = "400px 0px";

const listeners = new WeakMap<Element, (isNear: boolean) => void>();
let observer: IntersectionObserver | null = null;

/** Null until that is known: in the first frame, of all that is not in sight. */
export function useNear(): [RefObject<HTMLDivElement | null>, boolean | null] {
  const element = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState<boolean | null>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) {
      return undefined;
    }
    // The observer answers only when the first frame has been painted.
    const { top, bottom } = current.getBoundingClientRect();
    if (bottom > 0 && top < window.innerHeight) {
      setNear(true);
    }
    listeners.set(current, setNear);
    observer ??= new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => listeners.get(target)?.(isIntersecting)), { rootMargin: MARGIN, scrollMargin: MARGIN });
    observer.observe(current);
    return () => observer?.unobserve(current);
  }, []);
  return [element, isNear];
}
