/** How a story is kept and handed over: in a copy of the page, as a file, in a link, on paper, and as figures. */

import { useState } from "preact/hooks";
import { fileName } from "../../data/arrays/npy";
import { messageOf } from "../../data/format/errors";
import { writeLink } from "../../state/address/url";
import type { Store } from "../../state/store";
import { encodeStory, MOST_ADDRESS_LETTERS } from "../../state/story/story_link";
import { Button } from "../../ui/controls/button";
import { isSaved, save, savedText } from "../../ui/save";
import { grouped } from "../../ui/text/format";
import { printChapters } from "../print/print";
import { type Chapter, collectChapters } from "./chapters";
import { isOneFile, savedCopy } from "./saved_copy";
import { figuresFile } from "./story_document";

/** The answer to a download, which this command takes. */
const DOWNLOADED = "Saved as story.json. This command puts it into a page:";
const COMMAND = "comgra-export build RECORDINGS -o FOLDER --story story.json --force";

export function Keeping({ store }: { store: Store }) {
  const { story, bundle } = store;
  const [said, setSaid] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const notes = story.notes.value;
  const isOwn = store.files.value.length === 0;
  if (notes.length === 0 && !story.isUnsaved.value) {
    return null;
  }
  /** Does something, and says what came of it. */
  const attempt = async (act: () => string | Promise<string>): Promise<void> => {
    setIsBusy(true);
    try {
      setSaid(await act());
    } catch (error) {
      setSaid(`That did not work: ${messageOf(error)}`);
    }
    setIsBusy(false);
  };
  const setSaved = (): void => {
    if (isSaved()) {
      story.setSaved();
    }
  };
  const saveCopy = (): string => {
    const name = nameOfCopy();
    save(savedCopy(bundle.index, notes), name);
    setSaved();
    return savedText(name, ": this page with the notes in it");
  };
  const download = (): string => {
    save(new Blob([`${JSON.stringify(notes, null, 2)}\n`], { type: "application/json" }), "story.json");
    setSaved();
    return DOWNLOADED;
  };
  const copyLink = async (): Promise<string> => {
    const text = await encodeStory(notes);
    if (text.length > MOST_ADDRESS_LETTERS) {
      return `These notes are too long for a link: ${grouped(text.length)} characters, and at most ${grouped(MOST_ADDRESS_LETTERS)} fit.`;
    }
    story.inAddress.value = text;
    const hash = writeLink(store.tab.value, store.selection.value, store.view.value, text);
    try {
      await navigator.clipboard.writeText(`${window.location.href.split("#", 1)[0]}#${hash}`);
    } catch {
      // Not every page may write to the clipboard.
      return "The address of this page now holds the notes. Copy it from there.";
    }
    story.setSaved();
    return "Link copied. Whoever has this page sees the notes with it.";
  };
  const withChapters = (act: (chapters: readonly Chapter[]) => string) => async (): Promise<string> =>
    act(await collectChapters(store, (place) => setSaid(`Drawing note ${place + 1} of ${notes.length}\u2026`)));
  const print = (chapters: readonly Chapter[]): string => {
    printChapters(chapters);
    return "";
  };
  const saveFigures = (chapters: readonly Chapter[]): string => {
    const name = fileName([bundle.index.title, "figures"], "zip");
    save(figuresFile(store, chapters), name);
    return savedText(name, ": a figure or two for each note, and captions.md");
  };
  const action = (testid: string, name: string, title: string, act: () => string | Promise<string>) => (
    <Button testid={testid} title={title} inactive={isBusy} onClick={() => void (isBusy || attempt(act))}>
      {name}
    </Button>
  );
  return (
    <div class="story-keeping" role="group" aria-label="Keep the story">
      {isOwn && isOneFile(bundle.index) && action("story-copy", "Save a copy", "This page as a file, with the notes in it", saveCopy)}
      {action("story-download", "Download story", "The notes as story.json", download)}
      {isOwn && action("story-link", "Copy link with notes", "For short stories: the notes are in the address", copyLink)}
      {notes.length > 0 && action("story-print", "Print", "A document: each note with its view", withChapters(print))}
      {notes.length > 0 && action("story-figures", "Figures", "A zip file: each view as SVG, with its note", withChapters(saveFigures))}
      <p class="soft" role="status" aria-live="polite" data-testid="story-said">
        {said}
        {said === DOWNLOADED && <code class="code">{COMMAND}</code>}
      </p>
    </div>
  );
}

/** `report-with-notes.html` for `report.html`. */
function nameOfCopy(): string {
  const name = decoded(window.location.pathname.split("/").pop() ?? "").replace(/(-with-notes)?\.html?$/i, "");
  return fileName([name === "" ? "report" : name, "with-notes"], "html");
}

/** A path need not be UTF-8 behind its percent signs. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
