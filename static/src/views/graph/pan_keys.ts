/** Arrows with Shift move the view of the graph. */

import { useEffect } from "preact/hooks";
import type { Store } from "../../state/store";
import type { GraphCanvas } from "./canvas";

const PAN_STEP = 80;

const PANS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["ArrowLeft", [PAN_STEP, 0]],
  ["ArrowRight", [-PAN_STEP, 0]],
  ["ArrowUp", [0, PAN_STEP]],
  ["ArrowDown", [0, -PAN_STEP]],
]);

export function usePanKeys(store: Store, canvas: GraphCanvas | null): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      const isBusy = event.target instanceof Element && event.target.closest("input, select, textarea, [data-arrow-keys]") !== null;
      const pan = event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey ? PANS.get(event.key) : undefined;
      if (canvas !== null && pan !== undefined && !isBusy && store.tab.value === "tensors") {
        event.preventDefault();
        canvas.panBy(...pan);
      }
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [store, canvas]);
}
