/** Goes from note to note, each with its view; and the view that is shown now as a note's address. */

import { batch } from "@preact/signals";
import { readLink, writeLink } from "../address/url";
import { withOption } from "../address/view_options";
import type { Store } from "../store";
import { writeZooms } from "./zooms";

/** Reads the note at a place: shows its view, with the list beside it. */
export function showNote(store: Store, place: number): void {
  const note = store.story.notes.peek()[place];
  const link = note && readLink(note.view);
  if (note === undefined) {
    return;
  }
  batch(() => {
    store.story.place.value = place;
    store.story.isOpen.value = true;
    if (link) {
      store.open(link);
    } else {
      store.tell("The view of this note cannot be read: its address is not one of this page.");
    }
  });
}

/** The address of exactly what is shown. */
export function addressOfView(store: Store): string {
  const zooms = [...store.story.zoomReaders].flatMap(([name, read]): [string, string][] => {
    const zoom = read();
    return zoom === null ? [] : [[name, zoom]];
  });
  const view = withOption(store.view.peek(), "zoom", writeZooms(new Map(zooms)));
  return `#${writeLink(store.tab.peek(), store.selection.peek(), view)}`;
}
