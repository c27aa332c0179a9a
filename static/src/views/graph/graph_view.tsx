/** The graph of the iteration, with its buttons and its legend. */

import { useMemo } from "preact/hooks";
import { TENSOR_TYPES, type Graph } from "../../data/types";
import type { OpenStep } from "../../state/open_step";
import type { Shown, Store } from "../../state/store";
import { GraphComparison, MarkLegend, marksOf, useComparedGraphs, type ComparedGraphs } from "../compare/graph_comparison";
import type { NodeMark } from "../compare/graph_match";
import { brief, counted, grouped, nodeLabel, percent, roleLabel } from "../format";
import type { Hover } from "./canvas";
import { GraphFigure } from "./graph_figure";
import { ColorBar } from "./color_bar";
import type { Window } from "./columns";
import { usePanKeys } from "./pan_keys";
import { TYPE_LETTERS } from "./placement";
import { neighboursOf, type Neighbour, type Neighbours } from "./relations";
import { GraphToolbar } from "./toolbar";
import { readTrace, traceOf } from "./trace";
import { TraceBar } from "./trace_bar";
import { useCanvas } from "./use_canvas";
import { useColoring, type Colored } from "./use_coloring";

/** The graph that is shown, or why there is none. */
export function GraphView({ store }: { store: Store }) {
  const shown = store.shown.value;
  const pending = store.pending.value;
  const graph = shown?.open?.graphs[shown.selection.iteration];
  if (pending?.error || shown === null || shown.open === null || graph === undefined || graph.nodes.name.length === 0) {
    const isEmpty = pending === null && shown !== null && shown.open !== null;
    const reason = pending?.error ? "The graph of this step could not be loaded." : isEmpty ? "There is no tensor in this iteration." : "";
    return <section class="graph empty" aria-label="Dependency graph" data-testid="graph-empty">{reason}</section>;
  }
  return <GraphOf store={store} shown={shown} open={shown.open} graph={graph} />;
}

function GraphOf({ store, shown, open, graph }: { store: Store; shown: Shown; open: OpenStep; graph: Graph }) {
  const { node, role, iteration, recording } = shown.selection;
  const selected = graph.nodes.name.indexOf(node);
  const neighbours = useMemo(() => neighboursOf(graph, selected, role), [graph, selected, role]);
  const recorded = useMemo(
    () => new Set(open.offers.of(iteration).filter((offer) => offer.recordings.includes(recording)).map((offer) => offer.node)),
    [open, iteration, recording],
  );
  const onSelect = (name: string): void => store.selectNode(name);
  const kind = readTrace(store.view.value.get("trace"));
  const to = store.view.value.get("to") ?? "";
  const trace = useMemo(() => (kind === null ? null : traceOf(graph, selected, kind, graph.nodes.name.indexOf(to))), [graph, selected, kind, to]);
  const colored = useColoring(store, shown, open, graph);
  const coloring = colored?.coloring ?? null;
  const compared = useComparedGraphs(store, graph, open.hasGraph[iteration] === true);
  const marks = marksOf(compared);
  const { container, canvas, window, hover } = useCanvas({ graph, selected, neighbours, recorded, trace, coloring, marks, onSelect });
  usePanKeys(store, canvas);
  const total = graph.nodes.name.length;
  return (
    <section class="graph" aria-label="Dependency graph">
      <div class="graph-bar">
        <GraphToolbar store={store} graph={graph} selected={selected} canvas={canvas} />
        <Legend graph={graph} compared={compared} />
      </div>
      <div class="graph-bar graph-options">
        <ColorBar store={store} open={open} iteration={iteration} recording={recording} colored={colored} />
        <TraceBar store={store} node={node} trace={trace} to={to} />
        <GraphFigure store={store} shown={shown} open={open} graph={graph} canvas={canvas} colored={colored} trace={trace} />
      </div>
      <GraphComparison store={store} compared={compared} />
      <div class="graph-frame">
        <div
          ref={container}
          class="graph-canvas"
          data-testid="graph"
          data-selected-node={node}
          data-node-count={total}
          data-shown-node-count={window.shown.size}
          data-edge-count={neighbours.dependencies.length + neighbours.dependents.length}
          role="img"
          aria-label={`${counted(total, "node")} in ${counted(graph.columns.heading.length, "column")}. Arrow keys select another one.`}
        />
        {hover !== null && <NodeTooltip graph={graph} hover={hover} colored={colored} mark={marks.get(hover.node)} />}
        <GraphNotes open={open} iteration={iteration} graph={graph} window={window} />
      </div>
      <Announcement graph={graph} selected={selected} neighbours={neighbours} />
    </section>
  );
}

/** Tells a screen reader what has been selected. */
function Announcement({ graph, selected, neighbours }: { graph: Graph; selected: number; neighbours: Neighbours }) {
  const name = graph.nodes.name[selected];
  const { dependencies, dependents } = neighbours;
  return (
    <p class="visually-hidden" role="status" aria-live="polite">
      {name !== undefined && `${nodeLabel(name)}, ${graph.nodes.type[selected]}; depends on ${inWords(dependencies)}, needed by ${inWords(dependents)}`}
    </p>
  );
}

/** How many there are, and to or from how many of them no gradient flows. */
function inWords(neighbours: readonly Neighbour[]): string {
  const without = neighbours.filter((neighbour) => !neighbour.carriesGradient).length;
  return without === 0 ? `${neighbours.length}` : `${neighbours.length} (${without} without gradient)`;
}

function NodeTooltip({ graph, hover: { node, x, y }, colored, mark }: { graph: Graph; hover: Hover; colored: Colored | null; mark: NodeMark | undefined }) {
  const name = graph.nodes.name[node];
  const roles = graph.tensors.node.filter((own) => own === node).length;
  return name === undefined ? null : (
    <div class="graph-tooltip" data-testid="graph-tooltip" style={{ left: `${x}px`, top: `${y}px` }} aria-hidden="true">
      <strong>{name}</strong>
      <span>{graph.nodes.type[node]}</span>
      {roles > 1 && <span>{counted(roles, "role")}</span>}
      {mark !== undefined && <span>{mark === "A" ? "only in A" : "other tensors in B"}</span>}
      {colored !== null && <span>{numberInWords(colored, node)}</span>}
    </div>
  );
}

/** The number of a node, and, where its tensors have several, which one it is. */
function numberInWords({ choice: { statistic, isDifference }, numbers }: Colored, node: number): string {
  const number = numbers[node];
  if (number === undefined) {
    return isDifference ? `no ${statistic} in both` : `no ${statistic}`;
  }
  const text = isDifference ? `${statistic} ${percent(number.value)} in B` : `${statistic} ${brief(number.value)}`;
  return number.among > 1 ? `${text} (role ${roleLabel(number.role)}, one of ${number.among})` : text;
}

/** What about this graph is not as one would expect. */
function GraphNotes({ open, iteration, graph, window }: { open: OpenStep; iteration: number; graph: Graph; window: Window }) {
  const notes: string[] = [];
  if (open.graphError !== null) {
    notes.push(`The dependencies could not be loaded; the tensors are listed by type. ${open.graphError.message}`);
  } else if (open.hasGraph[iteration] === false) {
    notes.push("The dependencies of this iteration were not recorded; its tensors are listed by type.");
  }
  if (!window.complete) {
    notes.push(`${grouped(window.shown.size)} of ${grouped(graph.nodes.name.length)} nodes shown around the selection`);
  }
  return notes.length === 0 ? null : <p class="graph-note" data-testid="graph-note">{notes.join(" ")}</p>;
}

function Legend({ graph, compared }: { graph: Graph; compared: ComparedGraphs | null }) {
  const present = TENSOR_TYPES.filter((type) => graph.nodes.type.includes(type));
  return (
    <ul class="legend" aria-label="Legend">
      {present.map((type) => (
        <li key={type}>
          <span class={`legend-badge type-${type}`} aria-hidden="true">{TYPE_LETTERS[type]}</span>
          {type}
        </li>
      ))}
      <li><span class="legend-side" aria-hidden="true" />dotted: depends on nothing (left), needed by nothing (right)</li>
      {graph.without_gradient.length > 0 && <li data-testid="legend-without-gradient"><span class="legend-dashes" aria-hidden="true" />dashed: values, but no gradient</li>}
      <MarkLegend compared={compared} />
    </ul>
  );
}
