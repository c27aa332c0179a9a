/** The part of a graph that a note of the story shows. */

import type { Tab } from "../../state/address/url";
import type { Store } from "../../state/store";
import { readNumbers, writeNumbers } from "../../state/story/zooms";
import { useZoomOfNote } from "../../ui/zoom_of_note";
import type { MovedView, Zoom } from "./moved_view";

export function useZoomOfGraph(store: Store, tab: Tab, name: string, view: MovedView | null): void {
  const leave = useZoomOfNote(
    store,
    tab,
    name,
    view && { read: () => writeZoom(view.zoom), show: (zoom) => view.show(readZoom(zoom)) },
    view,
  );
  if (view !== null) {
    view.onLeave = leave;
  }
}

export function writeZoom(zoom: Zoom | null): string | null {
  return zoom && writeNumbers([zoom.x, zoom.y, zoom.level]);
}

/** Null where it is none, or where nothing could be seen. */
export function readZoom(text: string | null): Zoom | null {
  const [x, y, level] = readNumbers(text, 3) ?? [];
  return level !== undefined && level > 0.001 && level < 100 ? { x: x!, y: y!, level } : null;
}
