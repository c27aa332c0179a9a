/**
 * Runs in the sandboxed frame of the author's drawings, before their scripts: takes the drawings, calls them at every change, and gets
 * them their numbers from the page.
 */

import { take } from "./data";
import { type Draw, Drawing, describe, failure, make } from "./drawing";
import type { Answer, Pictures, ViewMessage } from "./messages";
import { pictureOf } from "./picture";

/** A drawing is copied for paper as soon as nothing has changed for so many milliseconds. */
const QUIET = 300;

declare global {
  interface Window {
    comgraVisualize?: (title: string, draw: Draw) => void;
  }
}

const drawings: Drawing[] = [];
const empty = make("p", "empty", "No script has called comgraVisualize(title, draw).");
empty.dataset.testid = "visualization-empty";
let view: ViewMessage | null = null;
let timer = 0;

window.comgraVisualize = (title, draw) => {
  if (typeof draw !== "function") {
    throw new TypeError("comgraVisualize(title, draw): draw is not a function.");
  }
  const drawing = new Drawing(String(title), draw);
  drawings.push(drawing);
  empty.remove();
  document.body.append(drawing.figure);
  if (view !== null) {
    void drawing.show(view).then(copyLater);
  }
};

function onScriptError(event: ErrorEvent): void {
  document.body.prepend(failure("A script of this page failed", describe(event.error ?? event.message)));
}

window.addEventListener("error", onScriptError);
window.addEventListener("DOMContentLoaded", () => {
  window.removeEventListener("error", onScriptError);
  if (drawings.length === 0 && document.querySelector(".failure") === null) {
    document.body.append(empty);
  }
});

window.addEventListener("message", ({ data, source }: MessageEvent<ViewMessage | Answer>) => {
  if (source !== parent) {
    return;
  }
  if (data.kind === "answer") {
    take(data);
    return;
  }
  view = data;
  document.documentElement.dataset.theme = data.dark ? "dark" : "light";
  document.documentElement.dataset.contrast = data.contrast ? "more" : "usual";
  for (const drawing of drawings) {
    void drawing.show(data).then(copyLater);
  }
});

function copyLater(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const message: Pictures = { kind: "pictures", pictures: drawings.map(pictureOf) };
    parent.postMessage(message, "*");
  }, QUIET);
}

/** As high as its drawings: the page limits the height that it gives. */
new ResizeObserver(() => parent.postMessage({ height: document.documentElement.offsetHeight }, "*")).observe(document.documentElement);
