/** Paper: the page is replaced by a document of it for as long as it is printed. */

import { render } from "preact";
import { useState } from "preact/hooks";
import type { Trial } from "../../data/format/types";
import type { Store } from "../../state/store";
import { loadPicture } from "../../tabs/overview/findings/value_picture";
import { shownValues } from "../../tabs/tensors/selected_values";
import { Button } from "../../ui/controls/button";
import { loadFigures } from "../../ui/figure/figure_registry";
import { allNumbers, loaded } from "../../ui/scheduling/until_loaded";
import type { Chapter } from "../story/chapters";
import { StoryDocument } from "../story/story_document";
import { aggregationOf } from "./print_comparison";
import { PrintDocument } from "./print_document";
import { MOST_PRINTED } from "./print_section";

/** What is printed next in place of the view: the story. */
let nextStory: readonly Chapter[] | null = null;

/** Lets the browser print a story. */
export function printChapters(chapters: readonly Chapter[]): void {
  nextStory = chapters;
  try {
    window.print();
  } finally {
    nextStory = null;
  }
}

/** Puts the document into the page whenever the browser prints, however that was asked for. */
export function startPrinting(store: Store): void {
  let paper: HTMLElement | null = null;
  window.addEventListener("beforeprint", () => {
    if (paper === null) {
      paper = document.createElement("main");
      paper.className = "print-document paper";
      document.body.append(paper);
      render(nextStory === null ? <PrintDocument store={store} /> : <StoryDocument store={store} chapters={nextStory} />, paper);
      // Nobody unfolds paper.
      paper.querySelectorAll<HTMLDetailsElement>(".incidents details").forEach((folded) => {
        folded.open = true;
      });
    }
  });
  window.addEventListener("afterprint", () => {
    if (paper !== null) {
      render(null, paper);
      paper.remove();
      paper = null;
    }
  });
}

/** Loads what the document needs, and lets the browser print. */
export function PrintButton({ store }: { store: Store }) {
  const [waiting, setWaiting] = useState(false);
  const print = async (): Promise<void> => {
    setWaiting(true);
    // The document names what cannot be loaded.
    await Promise.allSettled(neededFor(store));
    setWaiting(false);
    window.print();
  };
  return (
    <Button
      testid="print"
      inactive={waiting}
      title="Print this view as a document: graph, numbers, notes and curves"
      onClick={() => void (waiting || print())}
    >
      {waiting ? "Loading\u2026" : "Print"}
    </Button>
  );
}

function neededFor(store: Store): Promise<unknown>[] {
  const [trial, shown, record] = [store.trial.value, store.shown.value, store.record.value];
  const documents =
    trial === undefined
      ? []
      : [loaded(store, () => store.bundle.notes(trial)), loaded(store, () => store.bundle.curves(trial)), ...loadFigures(["panels"])];
  if (trial !== undefined && store.tab.value === "overview") {
    return [...documents, loadEvidence(store, trial)];
  }
  if (shown === null || shown.open === null || record === undefined) {
    return documents;
  }
  const { numbers, aggregation } = shownValues({ store, shown, open: shown.open, record });
  const values = numbers.length <= MOST_PRINTED ? [allNumbers(store, numbers)] : [];
  return [
    ...documents,
    ...values,
    allNumbers(store, shown.open.content.numbers.statistics(record, aggregation)),
    ...neededForSecond(store),
  ];
}

/** The pictures of what was found. */
async function loadEvidence(store: Store, trial: Trial): Promise<void> {
  const [findings] = await Promise.all([
    loaded(store, () => store.bundle.findings(trial)),
    loaded(store, () => store.bundle.series(trial)),
  ]);
  const problems = findings?.incidents.flatMap(({ cause, consequences }) => [cause, ...consequences]) ?? [];
  await Promise.allSettled(problems.flatMap(({ evidence }) => evidence.map((each) => loadPicture(store, trial, each))));
}

/** What is compared with it. */
function neededForSecond(store: Store): Promise<unknown>[] {
  const trial = store.secondTrial.value;
  const curves = trial === null ? [] : [loaded(store, () => store.bundle.curves(trial))];
  return store.pin.value === null ? [] : [...curves, loadedSecond(store)];
}

async function loadedSecond(store: Store): Promise<void> {
  const { open, record, ...second } = await loaded(
    store,
    () => store.second.value ?? { state: "failed", error: new Error("There is no second view.") },
  );
  if (open !== null && record !== undefined) {
    const aggregation = aggregationOf({ open, record, ...second });
    const values = open.content.numbers.neurons(record, aggregation);
    await Promise.all([
      allNumbers(store, open.content.numbers.statistics(record, aggregation)),
      ...(values.length <= MOST_PRINTED ? [allNumbers(store, values)] : []),
    ]);
  }
}
