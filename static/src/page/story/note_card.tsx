/** A note in the list beside the page. */

import { useEffect, useRef } from "preact/hooks";
import type { StoryNote } from "../../data/format/story";
import type { Store } from "../../state/store";
import { showNote } from "../../state/story/show_note";
import { Button } from "../../ui/controls/button";
import { NoteText } from "../../ui/text/note_text";
import { nameOfNote, pointInWords, viewInWords } from "./words";

export function NoteCard({ store, note, place }: { store: Store; note: StoryNote; place: number }) {
  const { story } = store;
  const isRead = story.place.value === place;
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isRead) {
      card.current?.scrollIntoView({ block: "nearest" });
    }
  }, [isRead]);
  const point = pointInWords(note.point);
  const last = story.notes.value.length - 1;
  return (
    <li ref={card} class={isRead ? "story-note story-read" : "story-note"} aria-current={isRead} data-testid="story-note">
      <Button class="story-go" title="Show its view" onClick={() => showNote(store, place)}>
        <span class="story-number">{place + 1}</span>
        <bdi>{nameOfNote(store, note)}</bdi>
      </Button>
      <NoteText text={note.text} />
      {(note.title !== "" || point !== "") && (
        <p class="soft story-where">
          <bdi>{viewInWords(store, note.view)}</bdi>
          {point !== "" && <bdi>{` \u2192 ${point}`}</bdi>}
        </p>
      )}
      {isRead && story.draft.value === null && (
        <span class="story-actions">
          <Button testid="note-edit" onClick={() => (story.draft.value = place)}>
            Edit
          </Button>
          <Button testid="note-up" label="Move up" inactive={place === 0} onClick={() => story.move(place, -1)}>
            {"\u2191"}
          </Button>
          <Button testid="note-down" label="Move down" inactive={place === last} onClick={() => story.move(place, 1)}>
            {"\u2193"}
          </Button>
          <Button testid="note-remove" onClick={() => story.remove(place)}>
            Remove
          </Button>
        </span>
      )}
    </li>
  );
}
