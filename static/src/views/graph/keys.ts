/** The keys of the graph: `/` finds a node, `+`, `-` and `0` zoom, arrows with Shift move the view. */

import { useEffect } from "preact/hooks";
import type { Store } from "../../state/store";
import type { GraphCanvas } from "./canvas";

export const ZOOM_STEP = 1.3;
const PAN_STEP = 80;

const PANS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["ArrowLeft", [PAN_STEP, 0]],
  ["ArrowRight", [-PAN_STEP, 0]],
  ["ArrowUp", [0, PAN_STEP]],
  ["ArrowDown", [0, -PAN_STEP]],
]);

export function useGraphKeys(store: Store, canvas: GraphCanvas | null): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      const isBusy = event.target instanceof Element && event.target.closest("input, select, textarea, [data-arrow-keys]") !== null;
      if (canvas === null || isBusy || store.tab.value !== "tensors" || event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      if (act(canvas, event)) {
        event.preventDefault();
      }
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [store, canvas]);
}

/** Does what a key says; false where it says nothing here. */
function act(canvas: GraphCanvas, event: KeyboardEvent): boolean {
  const pan = event.shiftKey ? PANS.get(event.key) : undefined;
  if (pan !== undefined) {
    canvas.panBy(...pan);
  } else if (event.key === "/") {
    document.getElementById("node-search")?.focus();
  } else if (event.key === "+" || event.key === "=") {
    canvas.zoomBy(ZOOM_STEP);
  } else if (event.key === "-") {
    canvas.zoomBy(1 / ZOOM_STEP);
  } else if (event.key === "0") {
    canvas.fit();
  } else {
    return false;
  }
  return true;
}
