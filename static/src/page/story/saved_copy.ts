/** The page as a file once more, with the notes in it: everything else is what the browser read, so that its policy still fits. */

import type { StoryNote } from "../../data/format/story";
import type { Index } from "../../data/format/types";
import { asciiMarkup, indexWithStory } from "../../data/report_copy";

/** What the page had before the viewer changed it. */
interface Original {
  head: readonly Element[];
  main: Element;
}

let original: Original | null = null;

/** Notes what a copy needs. Called before anything is changed. */
export function rememberPage(main: Element): void {
  original = { head: [...document.head.children], main: main.cloneNode(true) as Element };
}

/** Whether all of the page is in one file. */
export function isOneFile({ generation, chunks }: Index): boolean {
  return generation === 0 && !chunks.inline.includes(0);
}

/** Elements whose text has no references to characters. It is ASCII already. */
const RAW = "script, style";
/** Put together here, so that the script of a page does not hold what stands around a chunk. */
const TAG = "template";

/** The file. Throws where the page has been cut off. */
export function savedCopy({ chunks }: Index, notes: readonly StoryNote[]): Blob {
  const { head, main } = original!;
  const text = (element: Element): string => (element.matches(RAW) ? element.outerHTML : asciiMarkup(element.outerHTML));
  const index = head.find(({ id }) => id === "bundle-index")!;
  const withNotes = index.cloneNode() as Element;
  withNotes.textContent = indexWithStory(index.textContent ?? "", notes);
  const parts = [
    '<!doctype html>\n<html lang="en">\n<head>\n',
    ...head.map((element) => `${text(element === index ? withNotes : element)}\n`),
    "</head>\n<body>\n",
    `${text(main)}\n`,
    ...[...document.body.querySelectorAll(":scope > script")].map((script) => `${text(script)}\n`),
  ];
  chunks.inline.forEach((_, id) => {
    const chunk = document.getElementById(`chunk-${id}`);
    if (!(chunk instanceof HTMLTemplateElement)) {
      throw new Error("The page has been cut off: a part of its data is missing.");
    }
    parts.push(`<${TAG} id="chunk-${id}">`, chunk.content.textContent ?? "", `</${TAG}>\n`);
  });
  return new Blob([...parts, "</body>\n</html>\n"], { type: "text/html" });
}
