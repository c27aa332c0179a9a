/** The view as a document: what it is of, the graph, numbers, notes and curves, in this order. */

import type { Loaded } from "../../data/bundle";
import { stepInWords } from "../../data/format/steps";
import type { Note } from "../../data/format/types";
import { OnPaper } from "../../kits/history/use_near";
import type { Store } from "../../state/store";
import { AboutView } from "../../tabs/about/about";
import { NetworkView } from "../../tabs/network/network";
import { OverviewView } from "../../tabs/overview/overview";
import { Summary } from "../../tabs/tensors/summary";
import { selectionFacts, stepFacts } from "../../ui/figure/caption";
import type { Figure } from "../../ui/figure/figure";
import { figuresAt } from "../../ui/figure/figure_registry";
import { detailsAt } from "../../ui/figure/printed_details";
import { grouped } from "../../ui/text/format";
import { fileOpening } from "../opening/open_files";
import { PrintedComparison } from "./print_comparison";
import { PrintedCurves } from "./print_curves";
import { PrintedDrawings } from "./print_drawings";
import { absence, FigureOf, MOST_PRINTED, Section } from "./print_section";
import { PrintedValues } from "./print_values";

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
        <OnPaper.Provider value={true}>
          <OverviewView store={store} />
        </OnPaper.Provider>
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
          {record !== undefined && !isOfOthers && <PrintedValues store={store} shown={shown} open={open} record={record} />}
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
          <PrintedCurves store={store} trial={trial} curves={store.bundle.curves(trial)} second={store.secondTrial.value} />
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
            <span class="note-step">{note.step === null ? "before the first step" : stepInWords(note.step)}</span>
            <p dir="auto">{note.text}</p>
          </li>
        ))}
      </ol>
      {notes.value.length > MOST_NOTES && <p class="soft">{grouped(notes.value.length - MOST_NOTES)} more are in the page.</p>}
    </>
  );
}
