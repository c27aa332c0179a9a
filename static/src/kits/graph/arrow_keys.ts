/** Arrow keys walk over the graph; with Shift they move its view. */

import { useEffect, useRef } from "preact/hooks";
import type { Tab } from "../../state/address/url";
import type { Store } from "../../state/store";

export type Direction = "left" | "right" | "up" | "down";

const PAN_STEP = 80;

const KEYS: ReadonlyMap<string, { direction: Direction; pan: readonly [number, number] }> = new Map([
  ["ArrowLeft", { direction: "left", pan: [PAN_STEP, 0] }],
  ["ArrowRight", { direction: "right", pan: [-PAN_STEP, 0] }],
  ["ArrowUp", { direction: "up", pan: [0, PAN_STEP] }],
  ["ArrowDown", { direction: "down", pan: [0, -PAN_STEP] }],
]);

/** A drawing whose view can be moved. */
interface Movable {
  panBy(x: number, y: number): void;
}

/** Listens while a tab is open, unless arrows mean something where the focus is. */
export function useArrowKeys(store: Store, tab: Tab, view: Movable | null, go: (direction: Direction) => void): void {
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      const isBusy = event.target instanceof Element && event.target.closest("input, select, textarea, [data-arrow-keys]") !== null;
      const key = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS.get(event.key);
      if (key === undefined || isBusy || store.tab.value !== tab) {
        return;
      }
      event.preventDefault();
      if (event.shiftKey) {
        view?.panBy(...key.pan);
      } else {
        latest.current(key.direction);
      }
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [store, tab, view]);
}
