/** Which rows of a long list are in view, and how its scroll bar follows them. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Browsers do not show elements that are much higher than this. */
const HIGHEST_ELEMENT = 8_000_000;

const SETTLED_MILLISECONDS = 150;

interface VirtualScroll {
  scroller: RefObject<HTMLDivElement | null>;
  /** Height of the element that stands for all rows. */
  spaceHeight: number;
  /** Pixels of rows above the view. */
  offset: number;
  /** Height of the view. */
  height: number;
  /** What to add to the place of a row to get its place in the element. */
  shift: number;
  onScroll: () => void;
  moveTo: (offset: number) => void;
}

/**
 * If a list is too high for an element, the scroll bar stands for a multiple of its own length. Small movements still move rows by
 * as much as the finger or the wheel does; only jumps with the bar are coarse.
 *
 * `full` is the height of all rows, `header` that of a row above them which stays in view.
 */
export function useVirtualScroll(full: number, header: number): VirtualScroll {
  const scroller = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  // The positions of the rows and of the scroll bar; the reference is for events that come before the next rendering.
  const [{ offset, scrollTop }, setPosition] = useState({ offset: 0, scrollTop: 0 });
  const position = useRef({ offset, scrollTop });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const spaceHeight = Math.min(full, HIGHEST_ELEMENT);
  const ratio = ratioOf(full, spaceHeight, height);
  const last = Math.max(0, full - height);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) {
      return undefined;
    }
    const measure = (): void => setHeight(Math.max(0, element.clientHeight - header));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [header]);

  const place = (next: { offset: number; scrollTop: number }): void => {
    position.current = next;
    setPosition(next);
  };
  const moveTo = (target: number): void => {
    const next = Math.max(0, Math.min(target, last));
    // To scroll, the browser lays out all of the page, even if nothing moves.
    const isThere = next === 0 && position.current.offset === 0 && position.current.scrollTop === 0;
    if (scroller.current !== null && !isThere) {
      scroller.current.scrollTop = next / ratio;
      place({ offset: next, scrollTop: scroller.current.scrollTop });
    }
  };
  useLayoutEffect(() => {
    if (offset > last) {
      moveTo(last);
    }
  }, [last]);

  const onScroll = (): void => {
    const now = scroller.current?.scrollTop ?? 0;
    const moved = now - position.current.scrollTop;
    if (moved === 0) {
      return;
    }
    const atEnd = now <= 0 || now >= spaceHeight - height - 1;
    const isJump = ratio === 1 || atEnd || Math.abs(moved) > 2 * height;
    place({ offset: Math.max(0, Math.min(isJump ? now * ratio : position.current.offset + moved, last)), scrollTop: now });
    if (ratio !== 1) {
      // The bar catches up with the rows when nobody is moving it.
      clearTimeout(timer.current);
      timer.current = setTimeout(() => moveTo(position.current.offset), SETTLED_MILLISECONDS);
    }
  };
  const shift = ratio === 1 ? 0 : scrollTop - offset;
  return { scroller, spaceHeight, offset, height, shift, onScroll, moveTo };
}

/** By how much the rows are higher than the element that stands for them. */
export function ratioOf(full: number, shown: number, visible: number): number {
  return full <= shown ? 1 : (full - visible) / Math.max(1, shown - visible);
}
