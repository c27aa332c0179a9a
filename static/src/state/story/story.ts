/** The notes of a page, in their order, and which of them is read. */

import { batch, computed, signal } from "@preact/signals";
import type { StoryNote } from "../../data/format/story";
import type { ReadZoom } from "./zooms";

export type PointKind = "none" | "node" | "cell" | "curve";

/** What a note points at, as it is typed. */
export interface PointTexts {
  kind: PointKind;
  /** A name, or an index. */
  name: string;
  step: string;
}

/** What was typed into a note that is being written, and whether it is pinned to the view that is shown. */
export interface Written {
  title: string;
  text: string;
  point: PointTexts;
  isMoved: boolean;
}

/** The notes of the page's own data, while those of files are shown in their place. */
interface Left {
  notes: readonly StoryNote[];
  isUnsaved: boolean;
}

export class Story {
  readonly notes = signal<readonly StoryNote[]>([]);
  /** The place of the note that is read; -1 where none is. */
  readonly place = signal(-1);
  readonly current = computed<StoryNote | undefined>(() => this.notes.value[this.place.value]);
  /** Whether the list is beside the page. */
  readonly isOpen = signal(false);
  /** Whether the reader is told that there is a story: the address named no view, and the list has not been open yet. */
  readonly isOffered = signal(false);
  /** What the note that is read points at, as long as the list is open. */
  readonly point = computed(() => (this.isOpen.value ? (this.current.value?.point ?? null) : null));
  /** Whether there are changes that no file and no address has. */
  readonly isUnsaved = signal(false);
  /** The notes as the address has them; null where it has none of them. */
  readonly inAddress = signal<string | null>(null);
  /** The notes before one was removed. */
  readonly beforeRemoval = signal<readonly StoryNote[] | null>(null);
  /** The place of the note that is being written; -1: a new one; null: none. */
  readonly draft = signal<number | null>(null);
  /** What was typed into it; null: nothing yet. It stays while the list is closed. */
  readonly written = signal<Written | null>(null);
  /** Which part of each drawing is in view, by their names: drawings that are shown are here. */
  readonly zoomReaders = new Map<string, ReadZoom>();
  private left: Left | null = null;

  constructor(notes: readonly StoryNote[]) {
    this.notes.value = notes;
  }

  /** Takes the notes of other data. Those of the page itself come back after files; a newer build leaves what was changed in the page. */
  take(notes: readonly StoryNote[], isOfFiles: boolean): void {
    if (isOfFiles) {
      this.left ??= { notes: this.notes.peek(), isUnsaved: this.isUnsaved.peek() };
      this.replace(notes, false);
    } else if (this.left !== null) {
      this.replace(this.left.notes, this.left.isUnsaved);
      this.left = null;
    } else if (!this.isUnsaved.peek() && this.draft.peek() === null && this.inAddress.peek() === null) {
      this.showOwn(notes);
    }
  }

  /** Shows the notes of the page itself, and reads on where they are those that are shown. */
  showOwn(notes: readonly StoryNote[]): void {
    if (this.inAddress.peek() !== null || JSON.stringify(notes) !== JSON.stringify(this.notes.peek())) {
      this.replace(notes, false);
    }
  }

  /** Shows the notes that an address holds. */
  takeFromAddress(notes: readonly StoryNote[], text: string): void {
    this.replace(notes, false);
    this.inAddress.value = text;
    this.isOpen.value = notes.length > 0;
  }

  /** Closes the list. A note that was begun is still there when the list is opened again. */
  close(): void {
    this.isOpen.value = false;
    if (this.written.peek() === null) {
      this.draft.value = null;
    }
  }

  /** Gives up the note that is being written. */
  dropDraft(): void {
    batch(() => {
      this.draft.value = this.written.value = null;
    });
  }

  /** Adds a note behind the one that is read, or at the end. */
  add(note: StoryNote): void {
    const at = this.place.peek() < 0 ? this.notes.peek().length : this.place.peek() + 1;
    this.change(this.spliced(at, 0, note), at);
  }

  edit(place: number, note: StoryNote): void {
    this.change(this.spliced(place, 1, note), place);
  }

  /** Moves a note forwards or backwards. */
  move(place: number, by: number): void {
    const target = place + by;
    const note = this.notes.peek()[place];
    if (note !== undefined && target >= 0 && target < this.notes.peek().length) {
      const others = this.spliced(place, 1);
      this.change([...others.slice(0, target), note, ...others.slice(target)], target);
    }
  }

  remove(place: number): void {
    const before = this.notes.peek();
    this.change(this.spliced(place, 1), -1);
    this.beforeRemoval.value = before;
  }

  undoRemoval(): void {
    if (this.beforeRemoval.peek() !== null) {
      this.change(this.beforeRemoval.peek()!, -1);
    }
  }

  /** The notes are in a file or in an address now. */
  setSaved(): void {
    this.isUnsaved.value = false;
  }

  private spliced(place: number, removed: number, ...added: StoryNote[]): StoryNote[] {
    const notes = this.notes.peek();
    return [...notes.slice(0, place), ...added, ...notes.slice(place + removed)];
  }

  private change(notes: readonly StoryNote[], place: number): void {
    batch(() => {
      this.replace(notes, true);
      this.place.value = place;
    });
  }

  private replace(notes: readonly StoryNote[], isUnsaved: boolean): void {
    batch(() => {
      this.notes.value = notes;
      this.place.value = -1;
      this.isUnsaved.value = isUnsaved;
      this.inAddress.value = null;
      this.beforeRemoval.value = null;
      this.dropDraft();
    });
  }
}
