/** The story on paper, and as files for a paper: each note with its view. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { fileName } from "../../data/arrays/npy";
import { type ZipEntry, zipFile } from "../../data/arrays/zip";
import type { StoryNote } from "../../data/format/story";
import type { Store } from "../../state/store";
import { pageFacts } from "../../ui/figure/caption";
import { type Drawing, type Figure, figureElement } from "../../ui/figure/figure";
import { svgFile } from "../../ui/figure/svg";
import { NoteText, plainNote } from "../../ui/text/note_text";
import { FigureOf } from "../print/print_section";
import type { Chapter } from "./chapters";
import { lettersOf, nameOfNote, pointInWords, viewInWords } from "./words";

export function StoryDocument({ store, chapters }: { store: Store; chapters: readonly Chapter[] }) {
  const { title, generator } = store.bundle.index;
  return (
    <article>
      <header>
        <h1>
          <bdi>{title}</bdi>
        </h1>
        <p class="soft">{generator}.</p>
      </header>
      {chapters.map((chapter, k) => (
        <section key={k} data-testid="print-chapter">
          <h2>
            {k + 1}. <bdi>{nameOfNote(store, chapter.note)}</bdi>
          </h2>
          <NoteText text={chapter.note.text} />
          {chapter.figures.map((figure, j) => (
            <FigureOf key={j} figure={figure} />
          ))}
          {chapter.snapshot !== null && <Snapshot element={chapter.snapshot} />}
          <p class="soft">
            <bdi>{whereOf(store, chapter)}</bdi>
          </p>
        </section>
      ))}
    </article>
  );
}

function whereOf(store: Store, { note, figures, snapshot }: Chapter): string {
  const point = pointInWords(note.point);
  const missing = figures.length === 0 && snapshot === null ? " This view has no figure." : "";
  return `${viewInWords(store, note.view)}${point === "" ? "" : `; points at ${point}`}.${missing}`;
}

function Snapshot({ element }: { element: Element }) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => frame.current?.replaceChildren(element), [element]);
  return <div ref={frame} class="print-snapshot" />;
}

/** A view that has no figure, as it is in the page. */
function figureOfView(store: Store, note: StoryNote, drawing: Drawing): Figure {
  const { page, source } = pageFacts(store);
  return { title: viewInWords(store, note.view), drawing, facts: page, remarks: [], source, nameParts: [] };
}

/** A folder of figures, each with its note as a caption, and a text with all notes. */
export function figuresFile(store: Store, chapters: readonly Chapter[]): Blob {
  const entries: ZipEntry[] = [];
  const lines: string[] = [`# ${store.bundle.index.title}`];
  chapters.forEach((chapter, k) => {
    const { note } = chapter;
    const name = nameOfNote(store, note);
    const figures = chapter.drawing === null ? chapter.figures : [figureOfView(store, note, chapter.drawing)];
    lines.push(`## ${k + 1}. ${name}`, note.text, `_${whereOf(store, chapter)}_`);
    figures.forEach((figure, j) => {
      const file = fileName([`${String(k + 1).padStart(2, "0")}${figures.length > 1 ? lettersOf(j) : ""}`, name], "svg");
      const said = `${note.title === "" ? "" : `${note.title}. `}${plainNote(note.text)}`;
      entries.push({ name: `story/${file}`, content: svgFile(figureElement({ ...figure, remarks: [said, ...figure.remarks] })) });
      lines.push(`- \`${file}\`: ${figure.title}`);
    });
  });
  return zipFile([...entries, { name: "story/captions.md", content: `${lines.join("\n\n")}\n` }]);
}
