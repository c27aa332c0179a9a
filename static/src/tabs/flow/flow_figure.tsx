/** The Sankey diagram as a figure in a file. */

import { stepLabel } from "../../data/format/steps";
import type { Flow } from "../../data/records/flows";
import type { Store } from "../../state/store";
import type { FlowOptions } from "../../state/tab_options/flow_options";
import type { FlowSelection } from "../../state/tab_options/flow_selection";
import { FigureButtons } from "../../ui/figure/buttons";
import { pageFacts, trialFacts } from "../../ui/figure/caption";
import type { Figure } from "../../ui/figure/figure";
import { brief, counted } from "../../ui/text/format";
import { withPaperColors } from "../../ui/theme";
import { methodInWords, residualInWords, selectionName } from "./flow_text";
import type { Followed } from "./follow";
import { layOut, REDUCED } from "./sankey/sankey";
import { sankeyColors, sankeyDrawing } from "./sankey/sankey_drawing";

const WIDTH = 900;

interface Props {
  store: Store;
  flow: Flow;
  followed: Followed;
  options: FlowOptions;
  selection: FlowSelection | null;
  elements: readonly number[];
}

export function FlowFigure(props: Props) {
  return <FigureButtons name="gradient flow" place="flow" make={() => figureOf(props)} />;
}

function figureOf({ store, flow, followed, options, selection, elements }: Props): Figure {
  const { page, source } = pageFacts(store);
  const { trial } = store.selection.value;
  const diagram = layOut(flow, followed, selection === null ? null : { layer: selection.layer, elements: new Set(elements) }, WIDTH);
  const sample = flow.samples[options.sample];
  const signs = options.sign === "both" ? "" : `, ${options.sign} ones`;
  return {
    title: flow.name,
    drawing: {
      width: diagram.width,
      height: diagram.height,
      content: withPaperColors((read) => sankeyDrawing(flow, diagram, sankeyColors(read))),
    },
    facts: [
      ...trialFacts(store, trial),
      ["step", stepLabel(flow.step)],
      ["iteration", String(flow.iteration)],
      ...(sample === undefined ? [] : [["sample", String(sample)] as const]),
      ["selected", selection === null ? "nothing" : selectionName(flow, selection)],
      ["flows", `up to ${options.strongest} between two layers, from ${brief(options.threshold)} on${signs}`],
      ...page,
    ],
    remarks: [
      methodInWords(flow.method),
      `${counted(followed.links.length, "flow")}. Orange: above zero. Blue and striped: below zero. Dotted: residuals.`,
      "Pale: the sum of the flows that are not drawn individually.",
      ...residualInWords(flow),
      ...(diagram.isReduced ? [REDUCED] : []),
    ],
    source,
    nameParts: ["flow", trial, `step${flow.step}`, flow.name],
  };
}
