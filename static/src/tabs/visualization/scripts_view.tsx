/** What the author's scripts draw: all of them run in one sandboxed frame, which gets the selection and the numbers as messages. */

import { signal } from "@preact/signals";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Answer, Picture, Request, ViewMessage } from "../../frame/messages";
import type { Store } from "../../state/store";
import { hasHighContrast, isDark, themeName } from "../../ui/theme";
import { dataOf, selectionOf, type VisualizationData } from "./drawing_data";
import { ErrorReport } from "./error_report";
import { picturesIn, requestIn } from "./frame_messages";
import { FrameView } from "./frame_view";

/** The drawings as they were last, for paper. */
export const drawnPictures = signal<readonly Picture[]>([]);

/** The document of the frame, as the export has written it, and the style sheet of the page, whose hash it allows. */
function frameDocument(): string {
  const frame = JSON.parse(document.getElementById("drawing-frame")?.textContent ?? '""') as string;
  return `${frame}${document.head.querySelector("style:not([id])")?.outerHTML ?? ""}`;
}

export function ScriptsView({ store }: { store: Store }) {
  const html = useMemo(frameDocument, []);
  const [loaded, setLoaded] = useState<readonly Window[]>([]);
  // A second document in the frame is not the one that was put there.
  const hasLeft = loaded.length > 1;
  const frame = hasLeft ? undefined : loaded[0];
  const current = useRef<{ number: number; data: VisualizationData } | null>(null);
  const shown = store.shown.value;
  const isActive = store.tab.value === "visualization";
  const [dark, contrast, theme] = [isDark.value, hasHighContrast.value, themeName.value];
  useEffect(() => {
    if (frame === undefined || shown === null || shown.open === null || !isActive) {
      return;
    }
    const data = dataOf(store, shown, shown.open);
    const number = (current.current?.number ?? 0) + 1;
    current.current = { number, data };
    const [steps, iterations, tensors] = [data.steps(), data.iterations(), data.tensors()];
    const view: ViewMessage = { kind: "view", number, selection: selectionOf(store, shown), steps, iterations, tensors, dark, contrast };
    frame.postMessage(view, "*");
  }, [frame, shown, isActive, theme]);
  const onMessage = useCallback((message: unknown, from: Window): void => {
    drawnPictures.value = picturesIn(message) ?? drawnPictures.value;
    const request = requestIn(message);
    if (request !== null) {
      void answerTo(request, current.current).then((answer) => from.postMessage(answer, "*", transferred(answer)));
    }
  }, []);
  const onLoad = useCallback((inside: Window) => setLoaded((before) => [...before, inside]), []);
  return hasLeft ? (
    <ErrorReport what="A script of this page tried to leave its frame" error="Load the page again to see its drawings." />
  ) : (
    <FrameView title="Drawings" className="visualization-scripts" html={html} onMessage={onMessage} onLoad={onLoad} />
  );
}

async function answerTo(request: Request, current: { number: number; data: VisualizationData } | null): Promise<Answer> {
  const { id, view, call, tensor, wanted } = request;
  if (current === null || current.number !== view) {
    return { kind: "answer", id, error: "The selection has changed since." };
  }
  try {
    const { data } = current;
    return { kind: "answer", id, value: await (call === "curves" ? data.curves() : data[call](tensor, wanted)) };
  } catch (error) {
    return { kind: "answer", id, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Values are made for each answer, so that they need not be copied. */
function transferred({ value }: Answer): Transferable[] {
  return value instanceof Float64Array ? [value.buffer] : [];
}
