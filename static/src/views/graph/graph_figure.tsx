/** The graph as a figure: all of it that is drawn, in view or not. */

import type { Graph } from "../../data/types";
import type { OpenStep } from "../../state/open_step";
import type { Shown, Store } from "../../state/store";
import { differencesInWords, type Differences } from "../compare/differing_edges";
import { FigureButtons } from "../figure/buttons";
import { pageFacts, selectionFacts, selectionName } from "../figure/facts";
import type { Figure } from "../figure/figure";
import { graphDrawing } from "../figure/graph";
import { counted, nodeLabel } from "../format";
import { withPaperColors } from "../theme";
import type { GraphCanvas } from "./canvas";
import type { Window } from "./columns";
import { hiddenInWords, type Filter } from "./filter";
import { groupsInWords, partInWords } from "./graph_notes";
import type { Layout } from "./layout";
import { statisticLabel } from "./node_numbers";
import type { Trace } from "./trace";
import { traceInWords } from "./trace_bar";
import { readPalette } from "./use_canvas";
import type { Colored } from "./use_coloring";

interface Props {
  store: Store;
  shown: Shown;
  open: OpenStep;
  graph: Graph;
  layout: Layout;
  filter: Filter;
  window: Window;
  differences: Differences;
  canvas: GraphCanvas | null;
  colored: Colored | null;
  trace: Trace | null;
}

export function GraphFigure(props: Props) {
  const { canvas } = props;
  return canvas === null ? null : <FigureButtons name="graph" place="graph" make={() => figureOf(props, canvas)} />;
}

function figureOf({ store, shown, open, graph, layout: { items }, filter, window, differences, colored, trace }: Props, canvas: GraphCanvas): Figure {
  const { page, source } = pageFacts(store);
  const drawn = canvas.drawing();
  const [groups, hidden] = [groupsInWords(items), hiddenInWords(graph, filter)];
  const node = shown.selection.node;
  return {
    title: `Dependency graph, ${nodeLabel(node)} selected`,
    drawing: graphDrawing({ graph: drawn, palette: withPaperColors(readPalette), colored }),
    facts: [...selectionFacts(store, shown, open), ...(colored === null ? [] : [["colored by", `${statisticLabel(colored.choice.statistic)}${colored.choice.isDifference ? ", A \u2212 B" : ""}`] as const]), ...page],
    remarks: [
      ...(groups.length > 0 || !window.complete ? [[...groups, ...partInWords(items, window)].join(" ")] : [`${counted(items.numbers.length, "node")}.`]),
      ...(hidden === "" ? [] : [`${hidden}.`]),
      ...differencesInWords(differences),
      ...(trace === null ? [] : [`Traced: ${traceInWords(trace, node, store.view.value.get("to") ?? "")}.`]),
      ...(drawn.nodes.some(({ look }) => look.hatched) ? ["Hatched: without a number."] : []),
      ...(drawn.nodes.some(({ unrecorded, fill }) => unrecorded && fill === null) ? [`Paler: nothing recorded as ${shown.selection.recording}.`] : []),
      ...(colored !== null && colored.state !== "ready" ? ["Not all numbers of the nodes are loaded."] : []),
    ],
    source,
    nameParts: ["graph", ...selectionName(shown)],
  };
}
