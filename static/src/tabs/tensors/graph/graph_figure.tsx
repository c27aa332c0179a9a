/** The graph as a figure: all of it that is drawn, in view or not. */

import type { Graph } from "../../../data/format/types";
import { readPalette } from "../../../kits/graph/palette";
import type { OpenStep } from "../../../state/selection/open_step";
import type { Shown, Store } from "../../../state/store";
import { FigureButtons } from "../../../ui/figure/buttons";
import { pageFacts, selectionFacts, selectionName } from "../../../ui/figure/caption";
import type { Figure } from "../../../ui/figure/figure";
import { counted, nodeLabel } from "../../../ui/text/format";
import { withPaperColors } from "../../../ui/theme";
import type { GraphCanvas } from "./canvas/canvas";
import { graphDrawing } from "./canvas/graph_drawing";
import { statisticLabel } from "./coloring/node_numbers";
import type { Colored } from "./coloring/use_coloring";
import { type Differences, differencesInWords } from "./compare/differing_edges";
import { groupsInWords, partInWords } from "./graph_notes";
import type { Window } from "./layout/columns";
import { type Filter, hiddenInWords } from "./layout/filter";
import type { Layout } from "./layout/layout";
import type { Trace } from "./layout/trace";
import { traceInWords } from "./trace_bar";

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

function figureOf(
  { store, shown, open, graph, layout: { items }, filter, window, differences, colored, trace }: Props,
  canvas: GraphCanvas,
): Figure {
  const { page, source } = pageFacts(store);
  const drawn = canvas.drawing();
  const [groups, hidden] = [groupsInWords(items), hiddenInWords(graph, filter)];
  const node = shown.selection.node;
  return {
    title: `Dependency graph, ${nodeLabel(node)} selected`,
    drawing: graphDrawing({ graph: drawn, palette: withPaperColors(readPalette), colored }),
    facts: [
      ...selectionFacts(store, shown, open),
      ...(colored === null
        ? []
        : [["colored by", `${statisticLabel(colored.choice.statistic)}${colored.choice.isDifference ? ", A \u2212 B" : ""}`] as const]),
      ...page,
    ],
    remarks: [
      ...(groups.length > 0 || !window.complete
        ? [[...groups, ...partInWords(items, window)].join(" ")]
        : [`${counted(items.numbers.length, "node")}.`]),
      ...(hidden === "" ? [] : [`${hidden}.`]),
      ...differencesInWords(differences),
      ...(trace === null ? [] : [`Traced: ${traceInWords(trace, node, store.view.value.get("to") ?? "")}.`]),
      ...(drawn.nodes.some(({ look }) => look.hatched) ? ["Hatched: without a number."] : []),
      ...(drawn.nodes.some(({ unrecorded, fill }) => unrecorded && fill === null)
        ? [`Paler: nothing recorded as ${shown.selection.recording}.`]
        : []),
      ...(colored !== null && colored.state !== "ready" ? ["Not all numbers of the nodes are loaded."] : []),
    ],
    source,
    nameParts: ["graph", ...selectionName(shown)],
  };
}
