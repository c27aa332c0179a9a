/** The notes of the trial, and a field to search them. */

import { useState } from "preact/hooks";
import { readStep, stepInWords } from "../../data/format/steps";
import type { Note, Trial } from "../../data/format/types";
import { nearestStep } from "../../state/selection/nearest_step";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { DocumentView } from "../../ui/notices/document_loading";
import { counted, grouped, keyOf } from "../../ui/text/format";
import { LinkedText } from "../../ui/text/linked_text";
import { nearnessText } from "../../ui/text/near_step";

/** Notes that are shown at once; more are shown on request. */
const PAGE = 500;

export function NotesView({ store }: { store: Store }) {
  return (
    <DocumentView store={store} read={(bundle, trial) => bundle.notes(trial)} what="the notes">
      {(notes, trial) => <NoteList key={keyOf(trial)} store={store} notes={notes} trial={trial} />}
    </DocumentView>
  );
}

function NoteList({ store, notes, trial }: { store: Store; notes: readonly Note[]; trial: Trial }) {
  const [search, setSearch] = useState("");
  const [limit, setLimit] = useState(PAGE);
  if (notes.length === 0) {
    return (
      <p class="empty" data-testid="notes-empty">
        There are no notes in this trial. A script adds one: <code class="mono">with watch(...) as recorder: recorder.add_note(text)</code>.
        To write a note on a view, press <kbd>n</kbd>.
      </p>
    );
  }
  const wanted = search.trim().toLowerCase();
  const matching =
    wanted === ""
      ? notes
      : notes.filter((note) => note.text.toLowerCase().includes(wanted) || (note.step !== null && note.step === readStep(wanted)));
  return (
    <section class="page" aria-label="Notes">
      <div class="page-bar">
        <input
          type="search"
          data-testid="notes-filter"
          aria-label="Search the notes"
          placeholder="Search the notes"
          value={search}
          onInput={(event) => {
            setSearch(event.currentTarget.value);
            setLimit(PAGE);
          }}
        />
        <p class="soft" aria-live="polite" data-testid="notes-count">
          {wanted === "" ? counted(notes.length, "note") : `${grouped(matching.length)} of ${counted(notes.length, "note")}`}
        </p>
      </div>
      <ol class="notes" data-testid="notes">
        {matching.slice(0, limit).map((note, k) => (
          <li key={k} data-testid="note" aria-current={note.step === store.selection.value.step ? "true" : undefined}>
            <NoteStep store={store} trial={trial} step={note.step} />
            <p dir="auto">
              <LinkedText store={store} text={note.text} step={note.step} />
            </p>
          </li>
        ))}
      </ol>
      {matching.length > limit && (
        <Button onClick={() => setLimit(limit + PAGE)}>Show {Math.min(PAGE, matching.length - limit)} more</Button>
      )}
    </section>
  );
}

/** The step at which a note was taken; leads to it, or to the recorded one that is nearest. */
function NoteStep({ store, trial, step }: { store: Store; trial: Trial; step: number | null }) {
  if (step === null) {
    return <span class="note-step soft">before the first step</span>;
  }
  const nearest = nearestStep(trial, step);
  if (nearest === null) {
    return <span class="note-step">{stepInWords(step)}</span>;
  }
  const near = nearnessText(trial, step);
  const go = (): void => {
    store.goToStep(nearest.step);
    store.tab.value = "tensors";
  };
  return (
    <Button class="note-step link" title={`Show the tensors of ${near === "" ? "this step" : `a step near it; ${near}`}`} onClick={go}>
      {stepInWords(step)}
    </Button>
  );
}
