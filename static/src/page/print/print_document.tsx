/** The view as a document: what it is of, the graph, numbers, notes and curves, in this order. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Loaded } from "../../data/bundle";
import type { Curve, Note, Trial } from "../../data/format/types";
import { labelsOf, paperCurveColors } from "../../kits/charts/chart_figure";
import { curvesDrawing } from "../../kits/charts/curve_figure";
import { SidesNote, sidesRemark } from "../../kits/charts/curve_legend";
import type { Store } from "../../state/store";
import { readCurveOptions } from "../../state/tab_options/curve_options";
import { AboutView } from "../../tabs/about/about";
import { curvesCaption } from "../../tabs/curves/curves";
import { groupsOfTrials } from "../../tabs/curves/trial_groups";
import { NetworkView } from "../../tabs/network/network";
import { OverviewView } from "../../tabs/overview/overview";
import type { PaneProps } from "../../tabs/tensors/pane";
import { shownValues } from "../../tabs/tensors/selected_values";
import { Summary } from "../../tabs/tensors/summary";
import { NumberRow } from "../../ui/controls/table_frame";
import { selectionFacts, stepFacts } from "../../ui/figure/caption";
import { type Figure, figureElement } from "../../ui/figure/figure";
import { figuresAt } from "../../ui/figure/figure_registry";
import { detailsAt } from "../../ui/figure/printed_details";
import { pageElement } from "../../ui/figure/svg";
import { counted, grouped, indexText, numberText } from "../../ui/text/format";
import { fileOpening } from "../opening/open_files";
import { PrintedComparison } from "./print_comparison";
import { PrintedDrawings } from "./print_drawings";

/** Values that are printed; of more, the first ones are. */
export const MOST_PRINTED = 400;
const MOST_NOTES = 500;

/** A graph that is wider than this, in pixels of the page, is readable only on paper that lies on its side. */
const WIDEST_UPRIGHT = 1100;

export function PrintDocument({ store }: { store: Store }) {
  const { title, description, generator, group } = store.bundle.index;
  const tab = store.tab.value;
  return (
    <article>
      <header>
        <h1>
          <bdi>{title}</bdi>
        </h1>
        {description !== "" && (
          <p class="description" dir="auto">
            {description}
          </p>
        )}
        <p class="soft">
          Group <bdi>{group}</bdi>. {generator}.
        </p>
      </header>
      {tab === "network" ? (
        <NetworkView store={store} />
      ) : tab === "overview" ? (
        <OverviewView store={store} />
      ) : tab === "about" ? (
        <AboutView store={store} opening={fileOpening(store)} />
      ) : (
        <ViewSections store={store} />
      )}
    </article>
  );
}

function ViewSections({ store }: { store: Store }) {
  const shown = store.shown.value;
  const open = shown?.open ?? null;
  const record = store.record.value;
  const trial = store.trial.value;
  const pin = store.pin.value;
  const tab = store.tab.value;
  const isOfModules = tab === "modules";
  // What these tabs show takes the place of the graph and of the values.
  const isOfOthers = isOfModules || tab === "flow";
  return (
    <>
      {shown !== null && open !== null && (
        <>
          <Section title="Selection">
            <p data-testid="print-selection">
              {(isOfOthers ? stepFacts : selectionFacts)(store, shown, open).map(([name, value], k) => (
                <span key={name}>
                  {k > 0 && ", "}
                  {name}{" "}
                  <strong>
                    <bdi>{value}</bdi>
                  </strong>
                </span>
              ))}
              .
            </p>
            {!isOfOthers && <Summary store={store} shown={shown} open={open} />}
          </Section>
          <Graph title={tab === "flow" ? "Gradient flow" : "Graph"} figures={figuresAt(isOfOthers ? tab : "graph")} />
          {isOfModules && <Modules />}
          {record !== undefined && !isOfOthers && <Values store={store} shown={shown} open={open} record={record} />}
          {record !== undefined && pin !== null && !isOfOthers && (
            <Section title="Comparison">
              <PrintedComparison
                pane={{ store, shown, open, record }}
                graph={open.graphs[shown.selection.iteration]}
                pin={pin}
                most={store.view.value.get("pane") === "compare" ? MOST_PRINTED : 0}
              />
            </Section>
          )}
        </>
      )}
      {hasDrawings(store) && (
        <Section title="Visualization">
          {store.tab.value === "visualization" ? (
            <PrintedDrawings />
          ) : (
            <p data-testid="print-drawings-elsewhere">To print the drawings of the Visualization tab, open that tab first.</p>
          )}
        </Section>
      )}
      {trial !== undefined && (
        <>
          <Section title="Notes" page="own-page">
            <Notes notes={store.bundle.notes(trial)} />
          </Section>
          <Curves store={store} trial={trial} curves={store.bundle.curves(trial)} second={store.secondTrial.value} />
        </>
      )}
    </>
  );
}

/** Whether the author draws something of their own. */
function hasDrawings(store: Store): boolean {
  const { figures, visualizations } = store.bundle.index;
  return figures.length + visualizations.length > 0;
}

/** `page` is how a section lies on paper: after the one before it, on a page of its own, or on one that is wider than high. */
function Section({
  title,
  page = "following",
  children,
}: {
  title: string;
  page?: "following" | "own-page" | "wide";
  children: ComponentChildren;
}) {
  return (
    <section class={`print-${page}`}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Graph({ title, figures }: { title: string; figures: readonly Figure[] }) {
  const isWide = figures.some(({ drawing }) => drawing.width > WIDEST_UPRIGHT);
  return figures.length === 0 ? null : (
    <Section title={title} page={isWide ? "wide" : "following"}>
      {figures.map((figure, k) => (
        <FigureOf key={k} figure={figure} />
      ))}
    </Section>
  );
}

/** What is known of the selected module, and the panels. */
function Modules() {
  const [details, panels] = [detailsAt("modules"), figuresAt("panels")];
  return (
    <>
      {details.length > 0 && (
        <Section title="Details">
          <div class="print-details" data-testid="print-details">
            {details}
          </div>
        </Section>
      )}
      {panels.length > 0 && (
        <Section title="Panels">
          {panels.map((figure, k) => (
            <FigureOf key={k} figure={figure} />
          ))}
        </Section>
      )}
    </>
  );
}

export function FigureOf({ figure }: { figure: Figure }) {
  const frame = useRef<HTMLElement>(null);
  useLayoutEffect(() => frame.current?.replaceChildren(pageElement(figureElement(figure))), [figure]);
  return <figure ref={frame} class="print-figure" data-testid="print-figure" />;
}

/** The statistics, and the values as they are shown: as figures, or else as a table. */
function Values(pane: PaneProps) {
  const { store, open, record } = pane;
  const { numbers, aggregation, shape, dtype, absent } = shownValues(pane);
  const statistics = open.content.numbers.statistics(record, aggregation);
  const figures = figuresAt("values");
  const isTable = (store.view.value.get("pane") ?? "table") === "table";
  const count = Math.min(numbers.length, MOST_PRINTED);
  const text = (value: number | bigint | undefined, type: string): string => (value === undefined ? "not loaded" : numberText(value, type));
  return (
    <Section title="Values">
      <table class="print-statistics" data-testid="print-statistics">
        <tbody>
          {record.items.map((item, k) => (
            <NumberRow key={item} name={item} numbers={[text(statistics.at(k), record.precision)]} />
          ))}
        </tbody>
      </table>
      {figures.map((figure, k) => (
        <FigureOf key={k} figure={figure} />
      ))}
      {isTable && count > 0 && (
        <>
          <p class="soft">
            {numbers.length > count
              ? `The first ${grouped(count)} of ${counted(numbers.length, "value")}`
              : counted(numbers.length, "value")}
            {shape.length > 0 && ", each after its index"}.
          </p>
          <ol class="print-values" data-testid="print-values">
            {Array.from({ length: count }, (_, k) => (
              <li key={k}>
                <span class="soft">{indexText(k, shape)}</span> {text(numbers.at(k), dtype)}
              </li>
            ))}
          </ol>
        </>
      )}
      {isTable && absent !== null && <p class="soft">{absent}.</p>}
    </Section>
  );
}

/** What stands where a document is not there. */
function absence<T>(loaded: Loaded<T>): string {
  return loaded.state === "failed"
    ? `These could not be loaded: ${loaded.error.message}`
    : "These are not loaded yet. The page\u2019s own Print button waits for them.";
}

function Notes({ notes }: { notes: Loaded<Note[]> }) {
  if (notes.state !== "ready") {
    return <p>{absence(notes)}</p>;
  }
  if (notes.value.length === 0) {
    return <p>There are no notes in this trial.</p>;
  }
  return (
    <>
      <ol class="notes" data-testid="print-notes">
        {notes.value.slice(0, MOST_NOTES).map((note, k) => (
          <li key={k}>
            <span class="note-step">{note.step === null ? "before the first step" : `step ${note.step}`}</span>
            <p dir="auto">{note.text}</p>
          </li>
        ))}
      </ol>
      {notes.value.length > MOST_NOTES && <p class="soft">{grouped(notes.value.length - MOST_NOTES)} more are in the page.</p>}
    </>
  );
}

interface CurvesProps {
  store: Store;
  trial: Trial;
  curves: Loaded<Curve[]>;
  /** The trial of B, where it is another one. */
  second: Trial | null;
}

function Curves({ store, trial, curves, second }: CurvesProps) {
  const others = second === null ? null : store.bundle.curves(second);
  const figures = useMemo(
    () =>
      curves.state === "ready"
        ? curveFigures(store, trial, curves.value, others?.state === "ready" ? { trial: second!, curves: others.value } : null)
        : [],
    [curves.state, others?.state],
  );
  if (curves.state !== "ready") {
    return (
      <Section title="Curves" page="own-page">
        <p>{absence(curves)}</p>
      </Section>
    );
  }
  return figures.length === 0 ? null : (
    <Section title="Curves" page="own-page">
      {second !== null && (
        <p class="soft">
          <SidesNote trial={trial} second={second} />
        </p>
      )}
      {others !== null && others.state !== "ready" && <p>Those of B: {absence(others)}</p>}
      {figures.map((figure, k) => (
        <FigureOf key={k} figure={figure} />
      ))}
    </Section>
  );
}

function curveFigures(
  store: Store,
  trial: Trial,
  curves: readonly Curve[],
  second: { trial: Trial; curves: readonly Curve[] } | null,
): Figure[] {
  const colorOf = paperCurveColors();
  const options = readCurveOptions(store.view.value.get("curves"));
  const drawn = [{ trial, curves }, ...(second === null ? [] : [second])];
  return groupsOfTrials(store.bundle, drawn, second?.trial ?? null, options).map((group) => {
    const logarithmic = options.logarithmic.includes(group.group);
    return {
      ...curvesCaption(store, trial.name, group.group),
      remarks: sidesRemark(group.curves).map((remark) => `${remark}.`),
      drawing: curvesDrawing({
        curves: group.curves,
        visible: group.curves.map(({ id }) => !options.hidden.includes(id)),
        logarithmic,
        full: options.full.includes(group.group),
        range: null,
        extent: [],
        marked: null,
        marks: undefined,
        labels: labelsOf(group.group, logarithmic),
        colorOf,
      }),
    };
  });
}
