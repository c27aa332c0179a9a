/** Where the text of a chunk comes from: a template inside the page, or a script beside it. Nothing else can be read from `file://`. */

import { MissingChunkError } from "./format/errors";

/** What is needed of the page, so that tests can do without one. */
export interface Page {
  /** The element of this id, if it has been parsed. */
  find(id: string): { text(): string; followed: boolean } | null;
  /** Whether the page is still being read. */
  parsing(): boolean;
  /** Runs a script and resolves when it has run; rejects when it cannot be loaded. */
  runScript(path: string): Promise<void>;
  /** Resolves after this time, or when the page has been read. */
  wait(milliseconds: number): Promise<void>;
}

const POLL_MILLISECONDS = 25;

declare global {
  interface Window {
    __comgraChunk?: (id: number, base64: string, generation?: number) => void;
  }
}

export class ChunkSource {
  private readonly delivered = new Map<number, string>();

  constructor(
    private readonly page: Page,
    private readonly inline: readonly number[],
    /** The build that the chunks belong to, for a folder that is kept fresh. */
    private readonly generation = 0,
  ) {}

  /** Receives the text from a script; the page's global of this name leads here. */
  deliver(id: number, base64: string): void {
    this.delivered.set(id, base64);
  }

  /** The base64 of a chunk. Rejects with `MissingChunkError`. */
  async read(id: number): Promise<string> {
    const here = this.taken(id);
    if (here !== undefined) {
      return here;
    }
    // What is in the page belongs to the build that the page is of, which has nothing in it.
    const template = this.generation === 0 ? await this.readTemplate(id) : null;
    if (template !== null) {
      return template;
    }
    if (this.inline[id] === 1) {
      throw new MissingChunkError("The page has been cut off: a part of its data is missing. Get the whole file again.", false);
    }
    const ofGeneration = this.generation === 0 ? "" : `-${this.generation}`;
    await this.page.runScript(`data/c${String(id).padStart(6, "0")}${ofGeneration}.js`).catch(() => {
      throw new MissingChunkError("A file of the data folder is missing.", true);
    });
    const base64 = this.taken(id);
    if (base64 === undefined) {
      throw new MissingChunkError("A file of the data folder does not match its name.", true);
    }
    return base64;
  }

  private taken(id: number): string | undefined {
    const base64 = this.delivered.get(id);
    this.delivered.delete(id);
    return base64;
  }

  /** A template that is still being parsed is only complete once something follows it. */
  private async readTemplate(id: number): Promise<string | null> {
    for (;;) {
      const parsing = this.page.parsing();
      const element = this.page.find(`chunk-${id}`);
      if (element !== null && (element.followed || !parsing)) {
        return element.text();
      }
      if (!parsing || (element === null && this.inline[id] !== 1)) {
        return null;
      }
      await this.page.wait(POLL_MILLISECONDS);
    }
  }
}

/** The sources of the generations that the page has seen: what a script delivers goes to its own. */
export class ChunkSources {
  private readonly sources = new Map<number, ChunkSource>();

  constructor(readonly page: Page) {
    window.__comgraChunk = (id, base64, generation = 0) => this.sources.get(generation)?.deliver(id, base64);
  }

  /** Only the generation of the page itself has inline chunks. */
  open(generation: number, inline: readonly number[] = []): ChunkSource {
    const source = new ChunkSource(this.page, inline, generation);
    this.sources.set(generation, source);
    return source;
  }

  /** Forgets all generations but one, and what has been delivered of them. */
  keepOnly(generation: number): void {
    [...this.sources.keys()].filter((other) => other !== generation).forEach((other) => this.sources.delete(other));
  }
}

/** The page that this script runs in. */
export function browserPage(): Page {
  return {
    find(id) {
      const element = document.getElementById(id);
      return element instanceof HTMLTemplateElement
        ? { text: () => element.content.textContent ?? "", followed: element.nextSibling !== null }
        : null;
    },
    parsing: () => document.readyState === "loading",
    runScript: (path) =>
      new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = path;
        script.onload = () => {
          script.remove();
          resolve();
        };
        script.onerror = () => {
          script.remove();
          reject(new Error(path));
        };
        document.head.append(script);
      }),
    wait: (milliseconds) =>
      new Promise((resolve) => {
        // What is being waited for may be there as soon as the page has been read.
        document.addEventListener("DOMContentLoaded", () => resolve(), { once: true });
        setTimeout(resolve, milliseconds);
      }),
  };
}
