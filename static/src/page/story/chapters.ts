/** The story with its views as figures: goes through all notes, and comes back to what was shown. */

import type { StoryNote } from "../../data/format/story";
import { readLink, type Tab } from "../../state/address/url";
import type { Store } from "../../state/store";
import type { Drawing, Figure } from "../../ui/figure/figure";
import { figuresAt, loadFigures, type Place } from "../../ui/figure/figure_registry";
import { drawingOf } from "../../ui/figure/page_drawing";
import { loaded } from "../../ui/scheduling/until_loaded";
import { settled } from "./settling";

/** A note with what its view shows: figures, or else the view itself as it is, for paper and as a drawing. */
export interface Chapter {
  note: StoryNote;
  figures: readonly Figure[];
  snapshot: Element | null;
  drawing: Drawing | null;
}

/** Where each tab has its figures. */
const PLACES: Partial<Record<Tab, readonly Place[]>> = {
  tensors: ["graph", "values"],
  modules: ["modules", "panels"],
  flow: ["flow"],
  graphs: ["curves"],
};

/** The chapters of the story. `onNote` is called with the place of each note before its view is opened. */
export async function collectChapters(store: Store, onNote: (place: number) => void): Promise<Chapter[]> {
  const before = { tab: store.tab.peek(), selection: store.selection.peek(), view: store.view.peek() };
  const read = store.story.place.peek();
  const chapters: Chapter[] = [];
  try {
    for (const [place, note] of store.story.notes.peek().entries()) {
      onNote(place);
      const link = readLink(note.view);
      if (link !== null) {
        store.story.place.value = place;
        store.open(link);
      }
      chapters.push({ note, ...(link === null ? { figures: [], snapshot: null, drawing: null } : await viewShown(store)) });
    }
  } finally {
    store.open(before);
    store.story.place.value = read;
  }
  return chapters;
}

/** Waits until the view is there, as far as it will be, and takes it. */
async function viewShown(store: Store): Promise<Omit<Chapter, "note">> {
  await loaded(store, () =>
    store.pending.value === null || store.pending.value.error !== null ? { state: "ready", value: null } : { state: "loading" },
  );
  const places = PLACES[store.tab.peek()] ?? [];
  const figures = (): Figure[] => places.flatMap(figuresAt);
  await settled(() => ({ figures: figures().length, outstanding: store.bundle.chunks.outstanding, hasPlaces: places.length > 0 }));
  await Promise.allSettled(loadFigures(places));
  const panel = document.getElementById(`panel-${store.tab.peek()}`);
  const hasNone = places.length === 0 && panel !== null;
  return { figures: figures(), snapshot: hasNone ? snapshotOf(panel) : null, drawing: hasNone ? drawingOf(panel) : null };
}

/** A part of the page as it is now: what is drawn on a canvas is a picture in it. */
function snapshotOf(part: Element): Element {
  const copy = part.cloneNode(true) as Element;
  const canvases = [...part.querySelectorAll("canvas")];
  copy.querySelectorAll("canvas").forEach((canvas, k) => {
    const picture = document.createElement("img");
    picture.src = canvases[k]!.toDataURL();
    picture.alt = "";
    picture.width = canvases[k]!.clientWidth;
    canvas.replaceWith(picture);
  });
  for (const element of [copy, ...copy.querySelectorAll("[id]")]) {
    element.removeAttribute("id");
  }
  return copy;
}
