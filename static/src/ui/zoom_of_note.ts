/** The part of a drawing that a note of the story shows: written when a note is, and taken from its address. */

import { useEffect, useRef } from "preact/hooks";
import type { Tab } from "../state/address/url";
import type { Store } from "../state/store";
import { type ReadZoom, readZooms, writeZooms } from "../state/story/zooms";

interface Zoomable {
  read: ReadZoom;
  /** Shows what an address asks for, or what the page chooses where it asks for nothing any more. */
  show: (zoom: string | null) => void;
}

/**
 * While a tab is open, notes know which part of its drawing is in view. What an address asks for is shown anew when `again` changes.
 *
 * Returns what is to be called when the person moves to another part.
 */
export function useZoomOfNote(store: Store, tab: Tab, name: string, drawing: Zoomable | null, again: unknown = null): () => void {
  const isOpen = store.tab.value === tab;
  const wanted = readZooms(store.view.value.get("zoom")).get(name);
  const latest = useRef(drawing);
  latest.current = drawing;
  const isThere = drawing !== null;
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (!isThere || !isOpen) {
      return undefined;
    }
    const read: ReadZoom = () => latest.current?.read() ?? null;
    const { zoomReaders } = store.story;
    zoomReaders.set(name, read);
    return () => {
      if (zoomReaders.get(name) === read) {
        zoomReaders.delete(name);
      }
    };
  }, [store, name, isThere, isOpen]);
  useEffect(() => {
    if (isThere && (wanted !== undefined || shown.current !== undefined)) {
      shown.current = wanted;
      latest.current?.show(wanted ?? null);
    }
  }, [store, name, isThere, wanted, again]);
  return () => {
    const zooms = readZooms(store.view.peek().get("zoom"));
    shown.current = undefined;
    if (zooms.delete(name)) {
      store.setView("zoom", writeZooms(zooms));
    }
  };
}
