/** What is seen of the picture: all of a new one, what the person has zoomed into, or what a note shows. */

import { useLayoutEffect, useState } from "preact/hooks";
import type { Board } from "../../../kits/heatmap/board";
import { type Viewport, WHOLE } from "../../../kits/heatmap/viewport";
import type { Store } from "../../../state/store";
import { readNumbers, writeNumbers } from "../../../state/story/zooms";
import { useZoomOfNote } from "../../../ui/zoom_of_note";

export type SetViewport = (next: Viewport | ((before: Viewport) => Viewport)) => void;

const LARGEST_ZOOM = 100_000;

/** `setViewport` is for what the person does. */
export function usePictureViewport(store: Store, { rows, columns }: Board): { viewport: Viewport; setViewport: SetViewport } {
  const [viewport, setViewport] = useState<Viewport>(WHOLE);
  useLayoutEffect(() => setViewport(WHOLE), [rows, columns]);
  const leave = useZoomOfNote(
    store,
    "tensors",
    "picture",
    { read: () => writeViewport(viewport), show: (zoom) => setViewport(readViewport(zoom)) },
    `${rows} ${columns}`,
  );
  return {
    viewport,
    setViewport: (next) => {
      leave();
      setViewport(next);
    },
  };
}

/** Null where the whole picture is seen. */
export function writeViewport({ zoom, column, row }: Viewport): string | null {
  return zoom <= 1 ? null : writeNumbers([zoom, column, row]);
}

export function readViewport(text: string | null): Viewport {
  const [zoom, column, row] = readNumbers(text, 3) ?? [];
  const isPart = (place: number): boolean => place >= 0 && place <= 1;
  return zoom !== undefined && zoom >= 1 && zoom <= LARGEST_ZOOM && isPart(column!) && isPart(row!)
    ? { zoom, column: column!, row: row! }
    : WHOLE;
}
