/** The part of the graph that a note of the story shows: written when a note is, and taken from its address. */

import { useEffect } from "preact/hooks";
import type { Tab } from "../../state/address/url";
import type { Store } from "../../state/store";
import type { Viewport, Zoom } from "./viewport";

/** While a tab is open, its graph is what notes know the zoom of. */
export function useZoomOfNote(store: Store, tab: Tab, view: Viewport | null): void {
  const isOpen = store.tab.value === tab;
  const wanted = store.view.value.get("zoom");
  useEffect(() => {
    if (view === null || !isOpen) {
      return undefined;
    }
    const read = (): string | null => writeZoom(view.zoom);
    store.story.readZoom = read;
    return () => {
      if (store.story.readZoom === read) {
        store.story.readZoom = null;
      }
    };
  }, [store, view, isOpen]);
  useEffect(() => {
    if (view !== null) {
      view.onLeave = () => store.setView("zoom", null);
      view.show(readZoom(wanted));
    }
  }, [store, view, wanted]);
}

export function writeZoom(zoom: Zoom | null): string | null {
  return zoom && [zoom.x, zoom.y, zoom.level].map((number) => Number(number.toPrecision(5))).join(",");
}

/** Null where it is none, or where nothing could be seen. */
export function readZoom(text: string | undefined): Zoom | null {
  const [x, y, level, ...more] = (text ?? "").split(",").map(Number);
  const isZoom = [x, y, level].every(Number.isFinite) && more.length === 0 && level! > 0.001 && level! < 100;
  return isZoom ? { x: x!, y: y!, level: level! } : null;
}
