/** Says on top of a page that opens with no view of its own that there is a story in it, and how the story begins. */

import type { Store } from "../../state/store";
import { showNote } from "../../state/story/show_note";
import { Button } from "../../ui/controls/button";
import { plainNote } from "../../ui/text/note_text";
import { countOfNotes } from "./words";

export function StoryOffer({ store }: { store: Store }) {
  const { story } = store;
  const notes = story.notes.value;
  const [first] = notes;
  if (!story.isOffered.value || first === undefined) {
    return null;
  }
  /** The line is gone then: the focus goes to the button that opens and closes the story at any time. */
  const end = (act: () => void): void => {
    act();
    document.querySelector<HTMLElement>("[data-testid=story-open]")?.focus();
  };
  return (
    <section class="message story-offer" aria-label="Story of this page" data-testid="story-offer">
      <p>
        <strong>This page has a story:</strong> <bdi>{first.title.trim() || plainNote(first.text)}</bdi>
      </p>
      <span class="message-actions">
        <Button testid="story-read" onClick={() => end(() => showNote(store, 0))}>
          Read the story ({countOfNotes(notes)})
        </Button>
        <Button label="Dismiss" onClick={() => end(() => (story.isOffered.value = false))}>
          {"\u00d7"}
        </Button>
      </span>
    </section>
  );
}
