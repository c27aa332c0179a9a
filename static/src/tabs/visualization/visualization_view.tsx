/** Shows what the author draws, by scripts in the page and by Python at export. Errors in a drawing stay within it. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Store } from "../../state/store";
import { isDark, themeName } from "../../ui/theme";
import { dataOf, selectionOf } from "./drawing_data";
import { type Drawing, describe, drawings, scriptErrors } from "./drawings";
import { ErrorReport } from "./error_report";
import { FigureView } from "./figure_view";

export function VisualizationView({ store }: { store: Store }) {
  const registered = drawings.value;
  const errors = scriptErrors.value;
  const { figures, visualizations } = store.bundle.index;
  return (
    <section class="page" aria-label="Visualization">
      {errors.map((error, k) => (
        <ErrorReport key={k} what="A script of this page failed" error={error} />
      ))}
      {visualizations.length > 0 && registered.length === 0 && errors.length === 0 && (
        <p class="empty" data-testid="visualization-empty">
          No script has called comgraVisualize(title, draw).
        </p>
      )}
      {registered.map((drawing, k) => (
        <DrawingView key={k} store={store} drawing={drawing} />
      ))}
      {figures.map((figure, k) => (
        <FigureView key={k} store={store} figure={figure} />
      ))}
    </section>
  );
}

function DrawingView({ store, drawing }: { store: Store; drawing: Drawing }) {
  const element = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<string | null>(null);
  const shown = store.shown.value;
  const isActive = store.tab.value === "visualization";
  const [dark, theme] = [isDark.value, themeName.value];
  useEffect(() => {
    const target = element.current;
    if (target === null || shown === null || shown.open === null || !isActive) {
      return undefined;
    }
    const controller = new AbortController();
    const { signal } = controller;
    void call(drawing, {
      element: target,
      selection: selectionOf(store, shown),
      data: dataOf(store, shown, shown.open),
      dark,
      signal,
    }).then((failure) => {
      if (!signal.aborted) {
        setError(failure);
      }
    });
    return () => controller.abort();
  }, [drawing, shown, isActive, theme]);
  return (
    <figure class="visualization" data-testid="visualization" aria-label={drawing.title}>
      <figcaption>
        <h2>
          <bdi>{drawing.title}</bdi>
        </h2>
      </figcaption>
      {error !== null && <ErrorReport what="This drawing failed" error={error} />}
      <div ref={element} class="visualization-drawing" hidden={error !== null} />
    </figure>
  );
}

/** What went wrong, or null. */
async function call(drawing: Drawing, view: Parameters<Drawing["draw"]>[0]): Promise<string | null> {
  try {
    await drawing.draw(view);
    return null;
  } catch (error) {
    return describe(error);
  }
}
