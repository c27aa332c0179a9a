/** The story: notes beside the page, each with its view, and what opens them. */

import { effect } from "@preact/signals";
import type { Store } from "../../state/store";
import { showNote } from "../../state/story/show_note";
import { Button } from "../../ui/controls/button";
import { Icon } from "../../ui/controls/icon";
import { Keeping } from "./keeping";
import { NoteCard } from "./note_card";
import { NoteForm } from "./note_form";
import { countOfNotes, nameOfNote } from "./words";

/** Asks before a page is left whose notes are nowhere else. Who has seen the list need not be told that it is there. */
export function startStory(store: Store): void {
  effect(() => {
    if (store.story.isOpen.value) {
      store.story.isOffered.value = false;
    }
  });
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  effect(() => {
    if (store.story.isUnsaved.value || store.story.written.value !== null) {
      window.addEventListener("beforeunload", ask);
    } else {
      window.removeEventListener("beforeunload", ask);
    }
  });
}

/** In the header: writes a note, and opens the story where there is one. */
export function StoryButtons({ store }: { store: Store }) {
  const { story } = store;
  const notes = story.notes.value;
  const isOpen = story.isOpen.value;
  const write = (): void => {
    story.isOpen.value = true;
    // What is being written stays.
    story.draft.value ??= -1;
  };
  return (
    <>
      {notes.length > 0 && (
        <Button
          class="header-button"
          testid="story-open"
          pressed={isOpen}
          keys={isOpen ? undefined : "."}
          label={isOpen ? undefined : `Story: ${countOfNotes(notes)}, start reading`}
          title={isOpen ? "Close the story" : "Start reading (.)"}
          onClick={() => (isOpen ? story.close() : showNote(store, Math.max(0, story.place.value)))}
        >
          Story: {countOfNotes(notes)}
          {!isOpen && <span class="story-start">, start reading</span>}
        </Button>
      )}
      <Button
        class="header-button icon-button"
        testid="story-write"
        keys="n"
        label="Write a note on this view"
        title="Write a note on this view (n)"
        onClick={write}
      >
        <Icon name="pen" />
      </Button>
    </>
  );
}

export function StoryPanel({ store }: { store: Store }) {
  const { story } = store;
  const [notes, place, draft] = [story.notes.value, story.place.value, story.draft.value];
  if (!story.isOpen.value) {
    return null;
  }
  const go = (by: number): void => {
    const target = place < 0 ? 0 : place + by;
    if (target >= 0 && target < notes.length) {
      showNote(store, target);
    }
  };
  const note = notes[place];
  return (
    <section class="story" aria-label="Story" data-testid="story">
      <div class="story-head">
        <h2>Story</h2>
        <span class="soft" data-testid="story-place">
          {place < 0 ? countOfNotes(notes) : `${place + 1} of ${notes.length}`}
        </span>
        {notes.length > 0 && (
          <span class="button-group">
            <Button testid="story-previous" keys="," label="Previous note" title="Key ," inactive={place <= 0} onClick={() => go(-1)}>
              {"\u2039"}
            </Button>
            <Button testid="story-next" keys="." label="Next note" title="Key ." inactive={place >= notes.length - 1} onClick={() => go(1)}>
              {"\u203a"}
            </Button>
          </span>
        )}
        {/* What is being written is not lost with a key. */}
        <Button
          class="story-close"
          testid="story-close"
          label="Close the story"
          title={draft === null ? "Close the story: key Esc" : undefined}
          keys={draft === null ? "Escape" : undefined}
          onClick={() => story.close()}
        >
          <Icon name="close" />
        </Button>
      </div>
      <p class="visually-hidden" role="status" aria-live="polite">
        {note !== undefined && `Note ${place + 1} of ${notes.length}: ${nameOfNote(store, note)}`}
      </p>
      {draft !== null && <NoteForm key={draft} store={store} place={draft} />}
      {notes.length === 0 && draft === null && (
        <p class="soft" data-testid="story-empty">
          There are no notes. Press <kbd>n</kbd> to write one on the view that is shown.
        </p>
      )}
      <ol class="story-notes">
        {notes.map((own, k) => (
          <NoteCard key={k} store={store} note={own} place={k} />
        ))}
      </ol>
      {story.beforeRemoval.value !== null && (
        <p role="status">
          A note was removed.{" "}
          <Button class="link" testid="note-undo" onClick={() => story.undoRemoval()}>
            Undo
          </Button>
        </p>
      )}
      {story.inAddress.value !== null && (
        <p class="soft" data-testid="story-in-address">
          These notes are in the address of this page.{" "}
          {store.bundle.index.story.length > 0 && (
            <Button class="link" testid="story-own" onClick={() => story.showOwn(store.bundle.index.story)}>
              Show those of the page itself
            </Button>
          )}
        </p>
      )}
      <Keeping store={store} />
    </section>
  );
}
