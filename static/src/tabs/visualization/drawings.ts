/** The drawings that scripts in the page have handed over. */

import { signal } from "@preact/signals";
import type { VisualizationData, VisualizationSelection } from "./drawing_data";

/** What a drawing is given, at every change. Documented in `docs/visualization.md`. */
export interface VisualizationView {
  /** An element of the drawing's own, the same one at every call. */
  element: HTMLElement;
  selection: VisualizationSelection;
  data: VisualizationData;
  /** Whether the page is dark. */
  dark: boolean;
  /** Aborted as soon as something has changed again: what is still being worked out is of no use any more. */
  signal: AbortSignal;
}

type Draw = (view: VisualizationView) => void | Promise<void>;

export interface Drawing {
  title: string;
  draw: Draw;
}

export const drawings = signal<readonly Drawing[]>([]);

/** Why a script could not be run, as far as the browser says. */
export const scriptErrors = signal<readonly string[]>([]);

declare global {
  interface Window {
    comgraVisualize?: (title: string, draw: Draw) => void;
  }
}

/** Lets scripts that come after the viewer hand over drawings, and takes note of those that fail. */
export function startVisualizations(): void {
  window.comgraVisualize = (title, draw) => {
    if (typeof draw !== "function") {
      throw new TypeError("comgraVisualize(title, draw): draw is not a function.");
    }
    drawings.value = [...drawings.value, { title: String(title), draw }];
  };
  const onError = (event: ErrorEvent): void => {
    scriptErrors.value = [...scriptErrors.value, describe(event.error ?? event.message)];
  };
  window.addEventListener("error", onError);
  window.addEventListener("DOMContentLoaded", () => window.removeEventListener("error", onError));
}

/** An error with where it came from. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { name, message, stack = "" } = error;
  return stack.includes(message) ? stack : `${name}: ${message}\n${stack}`;
}
