/** The graph of the iteration, with its buttons and its legend. */

import { useMemo } from "preact/hooks";
import type { Graph } from "../../../data/format/types";
import { useArrowKeys } from "../../../kits/graph/arrow_keys";
import { useZoomOfGraph } from "../../../kits/graph/zoom_of_note";
import { countBadges } from "../../../state/badges/badges";
import type { OpenStep } from "../../../state/selection/open_step";
import type { Shown, Store } from "../../../state/store";
import { Menu } from "../../../ui/controls/menu";
import { InSheet } from "../../../ui/controls/sheet";
import { isCompact } from "../../../ui/media";
import { counted } from "../../../ui/text/format";
import { Announcement } from "./announcement";
import { Overview } from "./canvas/overview_map";
import { useCanvas } from "./canvas/use_canvas";
import { ColorBar, ColorKey } from "./coloring/color_bar";
import { itemColors } from "./coloring/coloring";
import { Ranking, useRanked } from "./coloring/ranking";
import { useStepParameters } from "./coloring/step_parameters";
import { useColoring } from "./coloring/use_coloring";
import { GraphComparison, itemMarks, useComparedGraphs, useDifferences } from "./compare/graph_comparison";
import { expanded } from "./fold_buttons";
import { GraphFigure } from "./graph_figure";
import { GraphNotes } from "./graph_notes";
import { useItemBadges } from "./item_badges";
import { readFilter } from "./layout/filter";
import { readFolding, writeFolding } from "./layout/folding";
import { layoutOf } from "./layout/layout";
import { neighboursOf } from "./layout/relations";
import { readTrace, traceOf } from "./layout/trace";
import { Legend, PrefixField } from "./legend";
import { useMarksWithNote } from "./note_mark";
import { FindAndFold, GraphToolbar } from "./toolbar";
import { NodeTooltip } from "./tooltip";
import { TraceBar, TraceCount } from "./trace_bar";
import { useSelecting } from "./use_selecting";

/** The graph that is shown, or why there is none. */
export function GraphView({ store }: { store: Store }) {
  const shown = store.shown.value;
  const pending = store.pending.value;
  const graph = shown?.open?.graphs[shown.selection.iteration];
  if (pending?.error || shown === null || shown.open === null || graph === undefined || graph.nodes.name.length === 0) {
    const isEmpty = pending === null && shown !== null && shown.open !== null;
    const reason = pending?.error ? (
      "The graph of this step could not be loaded."
    ) : isEmpty ? (
      <p>
        This iteration has no tensor: <code class="mono">recorder.register_tensor(name, tensor)</code> adds one.
      </p>
    ) : (
      ""
    );
    return (
      <section class="graph empty" aria-label="Dependency graph" data-testid="graph-empty">
        {reason}
      </section>
    );
  }
  return <GraphOf store={store} shown={shown} open={shown.open} graph={graph} />;
}

interface GraphProps {
  store: Store;
  shown: Shown;
  open: OpenStep;
  graph: Graph;
}

function GraphOf(props: GraphProps) {
  const { store, shown, open, graph } = props;
  const { node } = shown.selection;
  const state = useGraph(props);
  const { selected, item, filter, layout, colored, compared, badges, differences, drawn } = state;
  const { container, canvas, window, hover } = drawn;
  const { ranking } = state;
  const total = graph.nodes.name.length;
  return (
    <section class="graph" aria-label="Dependency graph">
      <div class={isCompact(store.story.isOpen.value) ? "graph-bar compact" : "graph-bar"}>
        <GraphToolbar canvas={canvas} go={state.go} />
        <InSheet testid="graph-tools" label="Graph" sign="Tools">
          <FindAndFold store={store} graph={graph} layout={layout} selected={selected} />
          <GraphOptions {...props} state={state} />
        </InSheet>
      </div>
      <div class={ranking === null ? "graph-frame" : "graph-frame with-ranking"}>
        <div
          ref={container}
          class="graph-canvas"
          data-testid="graph"
          data-selected-node={node}
          data-node-count={total}
          data-shown-node-count={window.shown.size}
          data-group-count={layout.items.groups.size}
          data-edge-count={state.edgeCount}
          data-badges={[...countBadges(badges.ofItem.values())].map(([badge, count]) => `${badge}:${count}`).join(" ")}
          role="application"
          aria-roledescription="graph"
          tabIndex={0}
          aria-label={`${counted(total, "node")} in ${counted(layout.columns.length, "column")}. Arrow keys select another one.`}
        />
        {ranking !== null && <Ranking store={store} graph={graph} shown={shown} ranking={ranking} selected={selected} />}
        <div class="graph-key">
          {colored !== null && <ColorKey store={store} shown={shown} colored={colored} />}
          <TraceCount trace={state.trace} node={node} to={state.to} />
        </div>
        {hover !== null && (
          <NodeTooltip graph={graph} layout={layout} hover={hover} colored={colored} mark={state.marks.get(hover.node)} badges={badges} />
        )}
        <div class="graph-corners">
          <GraphNotes
            open={open}
            iteration={shown.selection.iteration}
            graph={graph}
            layout={layout}
            filter={filter}
            window={window}
            differences={differences}
            isDrawn={item >= 0}
          />
          <Overview graph={graph} layout={layout} drawn={drawn} colors={state.colors} />
        </div>
      </div>
      <GraphComparison store={store} compared={compared} />
      <Legend store={store} graph={graph} filter={filter} compared={compared} differences={differences.edges} badges={badges} />
      <Announcement {...state} />
    </section>
  );
}

/** Chooses colours, what is traced, and which nodes are drawn; and the figure of all that. */
function GraphOptions({ store, shown, open, graph, state }: GraphProps & { state: GraphState }) {
  const { node, iteration, recording } = shown.selection;
  const { filter, layout, trace, parameters, colored, differences, drawn } = state;
  return (
    <>
      <ColorBar store={store} open={open} iteration={iteration} recording={recording} parameters={parameters} colored={colored} />
      <TraceBar store={store} node={node} trace={trace} />
      <Menu testid="graph-more" sign="Names" label="Choose nodes by their names">
        <PrefixField store={store} graph={graph} filter={filter} />
      </Menu>
      {drawn.window.shown.size > 0 && (
        <GraphFigure
          store={store}
          shown={shown}
          open={open}
          graph={graph}
          layout={layout}
          filter={filter}
          window={drawn.window}
          differences={differences}
          canvas={drawn.canvas}
          colored={colored}
          trace={trace}
        />
      )}
    </>
  );
}

/** The names of the nodes that have numbers of a recording type. */
function recordedNodes({ offers }: OpenStep, iteration: number, recording: string): ReadonlySet<string> {
  const recorded = offers.of(iteration).filter((offer) => offer.recordings.includes(recording));
  return new Set(recorded.map((offer) => offer.node));
}

type GraphState = ReturnType<typeof useGraph>;

/** The graph as it is laid out, coloured and compared, and what can be done in it. */
function useGraph({ store, shown, open, graph }: GraphProps) {
  const { node, role, iteration, recording } = shown.selection;
  const view = store.view.value;
  const selected = graph.nodes.name.indexOf(node);
  const filter = useMemo(() => readFilter(view.get("hide"), view.get("only")), [view.get("hide"), view.get("only")]);
  const layout = useMemo(() => layoutOf(graph, readFolding(view.get("fold")), filter), [graph, view.get("fold"), filter]);
  const item = layout.items.ofNode[selected] ?? -1;
  const neighbours = useMemo(() => neighboursOf(graph, selected, role), [graph, selected, role]);
  const drawnNeighbours = useMemo(() => neighboursOf(graph, selected, role, layout.items), [graph, selected, role, layout]);
  const recorded = useMemo(() => recordedNodes(open, iteration, recording), [open, iteration, recording]);
  const { select, go } = useSelecting(store, layout, selected, item);
  const expand = (group: number): void => store.setView("fold", writeFolding(expanded(graph, layout.folding, group)));
  const { trace, to } = useTrace(store, graph, selected);
  const parameters = useStepParameters(store, open);
  const colored = useColoring(store, shown, open, graph, parameters, view.get("color"));
  const ranking = useRanked(store, shown, open, graph, parameters, colored);
  const colors = useMemo(() => colored && itemColors(colored.coloring, colored.numbers, layout.items), [colored, layout]);
  const compared = useComparedGraphs(store, graph, open.hasGraph[iteration] === true);
  const marks = useMemo(() => itemMarks(compared, layout.items), [compared, layout]);
  const badges = useItemBadges(store, open, graph, layout.items, shown.selection);
  const differences = useDifferences(compared, graph, layout.items, item);
  const drawn = useCanvas({
    graph,
    layout,
    selected: item,
    neighbours: drawnNeighbours,
    recorded,
    trace,
    colors,
    marks: useMarksWithNote(store, graph, layout, marks),
    badges: badges.ofItem,
    differences: differences.edges,
    onSelect: select,
    onExpand: expand,
  });
  useArrowKeys(store, "tensors", drawn.canvas?.view ?? null, go);
  useZoomOfGraph(store, "tensors", "", drawn.canvas?.view ?? null);
  return {
    selected,
    item,
    filter,
    layout,
    neighbours,
    edgeCount: drawnNeighbours.dependencies.length + drawnNeighbours.dependents.length,
    trace,
    to,
    parameters,
    colored,
    ranking,
    colors,
    compared,
    marks,
    badges,
    differences,
    drawn,
    go,
  };
}

/** The nodes that are traced from the selected one, if any are, and the name of the node that a path leads to. */
function useTrace(store: Store, graph: Graph, selected: number) {
  const view = store.view.value;
  const [kind, to] = [readTrace(view.get("trace")), view.get("to") ?? ""];
  const trace = useMemo(
    () => (kind === null ? null : traceOf(graph, selected, kind, graph.nodes.name.indexOf(to))),
    [graph, selected, kind, to],
  );
  return { trace, to };
}
