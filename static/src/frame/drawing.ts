/** A drawing of the author's: its place in the frame, and calling it. An error is shown in that place and harms nothing else. */

import { dataOf, type VisualizationData } from "./data";
import type { ViewMessage } from "./messages";

/** What a drawing is given, at every change. Documented in `docs/visualization.md`. */
export interface VisualizationView {
  /** An element of the drawing's own, the same one at every call. */
  element: HTMLElement;
  selection: object;
  data: VisualizationData;
  /** Whether the page is dark. */
  dark: boolean;
  /** Aborted as soon as something has changed again: what is still being worked out is of no use any more. */
  signal: AbortSignal;
}

export type Draw = (view: VisualizationView) => void | Promise<void>;

export class Drawing {
  readonly figure = make("figure", "visualization");
  readonly element = make("div", "visualization-drawing");
  private failure: HTMLElement | null = null;
  private controller = new AbortController();

  constructor(
    readonly title: string,
    private readonly draw: Draw,
  ) {
    this.figure.dataset.testid = "visualization";
    this.figure.setAttribute("aria-label", title);
    const heading = make("h2");
    heading.append(make("bdi", "", title));
    const caption = make("figcaption");
    caption.append(heading);
    this.figure.append(caption, this.element);
  }

  /** Draws a view. Resolves when that is done, or of no use any more; never rejects. */
  async show(view: ViewMessage): Promise<void> {
    this.controller.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    const { element, draw } = this;
    let error: string | null = null;
    try {
      await draw({ element, selection: structuredClone(view.selection), data: dataOf(view), dark: view.dark, signal });
    } catch (thrown) {
      error = describe(thrown);
    }
    if (!signal.aborted) {
      this.failure?.remove();
      this.failure = error === null ? null : failure("This drawing failed", error);
      this.failure !== null && element.before(this.failure);
      element.hidden = error !== null;
    }
  }
}

/** Takes the place of what failed. */
export function failure(what: string, error: string): HTMLElement {
  const box = make("div", "failure");
  box.setAttribute("role", "alert");
  box.dataset.testid = "visualization-error";
  box.append(make("p", "", `${what}. The rest of the page is not affected.`), make("pre", "", error));
  return box;
}

/** An error with where it came from. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { name, message, stack = "" } = error;
  return stack.includes(message) ? stack : `${name}: ${message}\n${stack}`;
}

export function make(tag: string, className = "", text = ""): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}
