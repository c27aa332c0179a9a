/** What a note's view and the place that it points at are, in a few words. */

import { stepInWords } from "../../data/format/steps";
import type { StoryNote } from "../../data/format/story";
import { timeInWords } from "../../kits/charts/time_text";
import { readLink } from "../../state/address/url";
import type { Store } from "../../state/store";
import { counted, nodeLabel } from "../../ui/text/format";
import { LABELS } from "../tabs";

/** `Tensors, first, step 5, output`. */
export function viewInWords(store: Store, view: string): string {
  const link = readLink(view);
  if (link === null) {
    return "a view that cannot be read";
  }
  const { tab, selection } = link;
  const isOfTrial = selection.trial !== undefined && store.bundle.index.trials.some(({ name }) => name !== selection.trial);
  const isOfNode = selection.node !== undefined && selection.node !== "" && tab === "tensors";
  return [
    LABELS[tab ?? "tensors"],
    ...(isOfTrial ? [selection.trial] : []),
    ...(selection.step !== undefined && WITH_STEP.has(tab ?? "tensors") ? [stepInWords(selection.step)] : []),
    ...(isOfNode ? [nodeLabel(selection.node!)] : []),
  ].join(", ");
}

const WITH_STEP: ReadonlySet<string> = new Set(["tensors", "modules", "flow", "visualization"]);

/** `node x`, `cell [0, 3]`, `loss, step 37`; empty where it points at nothing. */
export function pointInWords(point: StoryNote["point"]): string {
  if (point === null) {
    return "";
  }
  if ("node" in point) {
    return `node ${nodeLabel(point.node)}`;
  }
  return "cell" in point ? `cell [${point.cell.join(", ")}]` : `curve ${point.curve}, ${timeInWords(point.step)}`;
}

/** What a note is called in a list: its title, or else what it shows. */
export function nameOfNote(store: Store, { title, view }: StoryNote): string {
  return title.trim() === "" ? viewInWords(store, view) : title;
}

export function countOfNotes(notes: readonly StoryNote[]): string {
  return counted(notes.length, "note");
}

/** Tells figures of a note apart: a to z, then aa, ab and so on. */
export function lettersOf(place: number): string {
  const last = String.fromCharCode(97 + (place % 26));
  return place < 26 ? last : lettersOf(Math.floor(place / 26) - 1) + last;
}
