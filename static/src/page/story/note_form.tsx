/** The form in which a note is written or changed. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { MOST_NOTES, MOST_TEXT_LETTERS, MOST_TITLE_LETTERS, MOST_VIEW_LETTERS, type StoryNote } from "../../data/format/story";
import type { Store } from "../../state/store";
import { addressOfView } from "../../state/story/show_note";
import type { Written } from "../../state/story/story";
import { Button } from "../../ui/controls/button";
import { withoutPlaces } from "../../ui/text/note_text";
import { PointFields } from "./point_fields";
import { pointOf, pointTexts, wrongPoint } from "./points";
import { viewInWords } from "./words";

const NO_TEXT = "Write something first.";
const NO_POINT = "Say what it points at: a name, an index such as 0, 3, or a name and a step.";

/** `place` is that of the note, or -1 for a new one, which is pinned to the view that is shown. */
export function NoteForm({ store, place }: { store: Store; place: number }) {
  const { story } = store;
  const before: StoryNote | undefined = story.notes.value[place];
  const written = story.written.value ?? asBefore(before);
  const { title, text, isMoved, point } = written;
  const write = (change: Partial<Written>): void => {
    story.written.value = { ...written, ...change };
  };
  const [wrong, setWrong] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  // At once, so that keys that follow the click reach it.
  useLayoutEffect(() => field.current?.focus(), []);
  // Read here, so that the form names what is shown while the person goes on.
  const view = isMoved ? addressOfShown(store) : before!.view;
  const save = (): void => setWrong(saveNote(store, place, written));
  return (
    <form
      class="story-form"
      data-testid="note-form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          story.dropDraft();
        } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          save();
        }
      }}
    >
      <p class="soft" data-testid="note-view">
        {before === undefined ? "New note on: " : "Note on: "}
        <bdi>{viewInWords(store, view)}</bdi>
      </p>
      <input
        type="text"
        data-testid="note-title"
        aria-label="Title of the note"
        placeholder="Title (optional)"
        maxLength={MOST_TITLE_LETTERS}
        value={title}
        onInput={(event) => write({ title: event.currentTarget.value })}
      />
      <textarea
        ref={field}
        rows={5}
        data-testid="note-text"
        aria-label="Text of the note"
        placeholder={"What does this view show?\n**bold**, `code`, [text](link of a view)"}
        maxLength={MOST_TEXT_LETTERS}
        value={text}
        onInput={(event) => write({ text: event.currentTarget.value })}
      />
      <PointFields store={store} point={point} onChange={(changed) => write({ point: changed })} />
      {before !== undefined && (
        <label class="story-point">
          <input
            type="checkbox"
            data-testid="note-repin"
            checked={isMoved}
            onChange={(event) => write({ isMoved: event.currentTarget.checked })}
          />
          <span>Pin it to the view that is shown now</span>
        </label>
      )}
      <p class="field-wrong" role="status" aria-live="polite">
        {wrong}
      </p>
      <span class="story-actions">
        <button type="submit" data-testid="note-save" title="Ctrl Enter">
          Save the note
        </button>
        <Button testid="note-cancel" title="Escape" onClick={() => story.dropDraft()}>
          Cancel
        </Button>
      </span>
    </form>
  );
}

/** A note into which nothing was typed yet. */
function asBefore(note: StoryNote | undefined): Written {
  return { title: note?.title ?? "", text: note?.text ?? "", isMoved: note === undefined, point: pointTexts(note?.point ?? null) };
}

/** Keeps what is written as the note at a place, or says as a sentence why it cannot be kept. */
function saveNote(store: Store, place: number, { title, text, point, isMoved }: Written): string {
  const { story } = store;
  const before: StoryNote | undefined = story.notes.peek()[place];
  // Drawings that were moved in the meantime have not told the form.
  const view = isMoved ? addressOfView(store) : before!.view;
  const pointed = pointOf(point);
  const refused =
    (text.trim() === "" && NO_TEXT) ||
    (before === undefined && wrongCount(story.notes.peek())) ||
    (pointed !== undefined && isMoved && (wrongView(view) || wrongPoint(store, pointed)));
  if (refused || pointed === undefined) {
    return refused || NO_POINT;
  }
  const note: StoryNote = { view, title: title.trim(), text: withoutPlaces(text.trim()), point: pointed };
  before === undefined ? story.add(note) : story.edit(place, note);
  return "";
}

/** Why there can be no more notes, as a sentence; empty where there can. */
function wrongCount({ length }: readonly StoryNote[]): string {
  return length < MOST_NOTES ? "" : `A story has at most ${MOST_NOTES} notes.`;
}

/** Why a view cannot be kept in a note, as a sentence; empty where it can. */
function wrongView(view: string): string {
  return view.length <= MOST_VIEW_LETTERS ? "" : "The address of this view is too long for a note. Collapse all, or unpin some tensors.";
}

/** As `addressOfView`, and read again when something else is shown. */
function addressOfShown(store: Store): string {
  void [store.tab.value, store.selection.value, store.view.value];
  return addressOfView(store);
}
