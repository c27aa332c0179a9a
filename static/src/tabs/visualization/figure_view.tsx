/** A figure that a Python file drew at export, for what is selected. */

import { useState } from "preact/hooks";
import type { Bundle, Loaded } from "../../data/bundle";
import { ANY, type FigureDocument, type FigurePlace } from "../../data/format/figures";
import type { Figure } from "../../data/format/types";
import { sampleOf } from "../../state/selection/selection";
import type { Shown, Store } from "../../state/store";
import { NotReady } from "../../ui/notices/loading";
import { ErrorReport } from "./error_report";
import { FrameView } from "./frame_view";

/** What is to be put on the page: an image, the document of a frame, or a traceback. */
interface Drawn {
  kind: "svg" | "frame" | "error";
  text: string;
}

export function FigureView({ store, figure }: { store: Store; figure: Figure }) {
  // Read so that this is rendered again when something has arrived.
  void store.version.value;
  const shown = store.shown.value;
  // A frame that is hidden has no width to draw in.
  if (shown === null || store.tab.value !== "visualization") {
    return null;
  }
  const place = placeOf(store.bundle, figure, shown);
  return (
    <figure class="visualization" data-testid="figure" aria-label={figure.title}>
      <figcaption>
        <h2>
          <bdi>{figure.title}</bdi>
        </h2>
      </figcaption>
      <Content store={store} figure={figure} place={place} />
    </figure>
  );
}

function Content({ store, figure, place }: { store: Store; figure: Figure; place: Loaded<FigurePlace | null> }) {
  if (place.state === "ready" && place.value === null) {
    return (
      <p class="empty" data-testid="figure-nothing">
        Nothing is drawn for this selection.
      </p>
    );
  }
  const drawn = place.state === "ready" && place.value !== null ? drawnAt(store.bundle, place.value) : (place as Loaded<Drawn>);
  if (drawn.state !== "ready") {
    return <NotReady store={store} loaded={drawn} what="the figure" />;
  }
  const { kind, text } = drawn.value;
  if (kind === "error") {
    return <ErrorReport what={`${figure.file} failed for this selection`} error={text} />;
  }
  // A frame that is given another document has a history of its own, so there is a new one for each.
  const key = place.state === "ready" && place.value !== null ? `${place.value.chunk}/${place.value.position}` : "";
  return kind === "svg" ? (
    <Image key={key} title={figure.title} svg={text} />
  ) : (
    <FrameView key={key} title={figure.title} className="visualization-paper" html={text} />
  );
}

/** Where what was drawn for the selection is; null where nothing was. */
function placeOf(bundle: Bundle, figure: Figure, shown: Shown): Loaded<FigurePlace | null> {
  const loaded = bundle.figure(figure, shown.trial);
  if (loaded.state !== "ready" || loaded.value === null) {
    return loaded as Loaded<null>;
  }
  const { step, iteration, aggregation } = shown.selection;
  const wanted = (attribute: string, value: number | null): number => (figure.per.includes(attribute) ? (value ?? ANY) : ANY);
  const sample = wanted("sample", sampleOf(aggregation));
  return { state: "ready", value: loaded.value.find(wanted("step", step), wanted("iteration", iteration), sample) ?? null };
}

function drawnAt(bundle: Bundle, place: FigurePlace): Loaded<Drawn> {
  const loaded = bundle.figureDocument(place);
  return loaded.state === "ready" ? withFrame(bundle, loaded.value) : loaded;
}

function withFrame(bundle: Bundle, { kind, text }: FigureDocument): Loaded<Drawn> {
  if (kind !== "plotly") {
    return { state: "ready", value: { kind: kind === "html" ? "frame" : kind, text } };
  }
  const frame = bundle.plotlyFrame();
  return frame.state === "ready"
    ? { state: "ready", value: { kind: "frame", text: `${frame.value.before}${text}${frame.value.behind}` } }
    : frame;
}

/** As an image, an SVG runs nothing and loads nothing. */
function Image({ title, svg }: { title: string; svg: string }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) {
    return <p class="empty">This browser cannot show the image.</p>;
  }
  return (
    <img class="visualization-paper" alt={title} src={`data:image/svg+xml,${encodeURIComponent(svg)}`} onError={() => setBroken(true)} />
  );
}
