/** Whether an element is in sight, or soon will be: what is not need not be read and drawn. */

import { createContext, type RefObject } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Pixels beyond the window, and beyond what scrolls in it. */
const MARGIN = "400px 0px";

/** Whether something is drawn for paper. All of that is in sight, and there is no time to find out. */
export const OnPaper = createContext(false);

const listeners = new WeakMap<Element, (isNear: boolean) => void>();
const inSight = new WeakSet<Element>();
let observers: readonly IntersectionObserver[] = [];

/** Whether it is near, null until known (in the first frame, if out of sight). And whether it was in sight in the last frame. */
export function useNear(): [RefObject<HTMLDivElement | null>, boolean | null, () => boolean] {
  const element = useRef<HTMLDivElement>(null);
  const isOnPaper = useContext(OnPaper);
  const [isNear, setNear] = useState<boolean | null>(isOnPaper || null);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null || isOnPaper) {
      return undefined;
    }
    // The observers answer only when the first frame has been painted.
    const { top, bottom } = current.getBoundingClientRect();
    if (bottom > 0 && top < window.innerHeight) {
      setNear(true);
    }
    listeners.set(current, setNear);
    observers = observers.length === 0 ? observeAll() : observers;
    observers.forEach((observer) => observer.observe(current));
    return () => observers.forEach((observer) => observer.unobserve(current));
  }, []);
  return [element, isNear, () => element.current !== null && inSight.has(element.current)];
}

function observeAll(): IntersectionObserver[] {
  const near = new IntersectionObserver(
    (entries) => entries.forEach(({ target, isIntersecting }) => listeners.get(target)?.(isIntersecting)),
    { rootMargin: MARGIN, scrollMargin: MARGIN },
  );
  const seen = new IntersectionObserver((entries) =>
    entries.forEach(({ target, isIntersecting }) => (isIntersecting ? inSight.add(target) : inSight.delete(target))),
  );
  return [near, seen];
}
