/** The legend below the drawing of a graph. */

import { TENSOR_TYPES } from "../../../../data/format/types";
import type { Palette } from "../../../../kits/graph/palette";
import { TYPE_LETTERS } from "../../../../kits/graph/placement";
import { DIFFERENCE_CLASSES } from "../../../../kits/graph/style";
import { divergingColor, VIRIDIS } from "../../../../ui/color_scale";
import { element, rounded, type SvgElement, textElement } from "../../../../ui/figure/svg";
import { textWidth } from "../../../../ui/figure/text";
import { brief, percent } from "../../../../ui/text/format";
import type { ColorChoice, Coloring } from "../coloring/coloring";
import { statisticLabel } from "../coloring/node_numbers";
import type { GraphDrawing } from "./canvas";
import { edgeSign } from "./graph_node_drawing";

export const MARGIN = 14;

export const LEGEND_ROW = 24;

/** Places on the scale of differences, from A less to A more. */
const DIVERGING_STOPS = [-1, -0.5, 0, 0.5, 1];

export const SIDES = ["A", "B"] as const;

export interface GraphShown {
  graph: GraphDrawing;
  palette: Palette;
  /** By what the nodes are coloured, and what the colours mean; null where it is their types. */
  colored: { choice: ColorChoice; coloring: Coloring } | null;
}

/** What the colours mean. */
function scaleInWords({
  choice: { statistic, isDifference },
  coloring: { scale, low, high, ofMagnitudes },
}: NonNullable<GraphShown["colored"]>): string {
  const name = statisticLabel(statistic);
  if (isDifference) {
    return `${name}, A \u2212 B, relative to the larger of both: from ${percent(low)} to ${percent(high)}`;
  }
  return `${name} from ${brief(low)} to ${brief(high)}${scale === "log" ? `, logarithmic${ofMagnitudes ? ", of magnitudes" : ""}` : ""}`;
}

/** Types, colours and lines, in rows. */
export function legendOf(
  { graph, palette, colored }: GraphShown,
  hasEdges: boolean,
  room: number,
  top: number,
): { content: SvgElement[]; bottom: number } {
  const present = TENSOR_TYPES.filter((type) => graph.nodes.some((node) => node.type === type));
  const upright = { stroke: palette.heading, "stroke-width": 3, "stroke-dasharray": "3 4" };
  const entries: { width: number; drawn: readonly SvgElement[]; text: string }[] = present.map((type) => ({
    width: 18,
    text: type,
    drawn: [
      element("rect", { width: 16, height: 16, fill: palette.line[type] }),
      textElement(TYPE_LETTERS[type], 8, 12, 11, { "font-weight": 700, fill: palette.background, "text-anchor": "middle" }),
    ],
  }));
  entries.push({
    width: 6,
    text: "dotted: begins (left) or ends (right) here",
    drawn: [element("line", { x1: 2, x2: 2, y1: 0, y2: 16, ...upright })],
  });
  if (hasEdges && graph.edges.some(({ classes }) => classes.includes("without-gradient"))) {
    entries.push({
      width: 28,
      text: "dashed: values, but no gradient",
      drawn: [element("line", { x1: 0, x2: 26, y1: 8, y2: 8, stroke: palette.heading, "stroke-width": 2, "stroke-dasharray": "7 6" })],
    });
  }
  for (const side of SIDES) {
    if (graph.edges.some(({ classes }) => classes.includes(DIFFERENCE_CLASSES[side]))) {
      const line = element("line", {
        x1: 0,
        x2: 38,
        y1: 8,
        y2: 8,
        stroke: palette.text,
        "stroke-width": 2.5,
        ...(side === "B" && { "stroke-dasharray": "1 4", "stroke-linecap": "round" }),
      });
      entries.push({
        width: 40,
        text: side === "A" ? "connection only in A" : "dotted: connection only in B",
        drawn: [line, edgeSign(side, [19, 8], palette)],
      });
    }
  }
  if (colored !== null && Number.isFinite(colored.coloring.low)) {
    const ramp = colored.choice.isDifference
      ? DIVERGING_STOPS.map(divergingColor)
      : VIRIDIS.map((channels) => `rgb(${channels.join(", ")})`);
    const stops = ramp.map((color, k) => element("stop", { offset: `${(100 * k) / (ramp.length - 1)}%`, "stop-color": color }));
    const text = scaleInWords(colored);
    entries.push({
      width: 112,
      text,
      drawn: [
        element("defs", {}, element("linearGradient", { id: "colors-of-nodes" }, ...stops)),
        element("rect", { class: "color-scale", y: 2, width: 110, height: 12, fill: "url(#colors-of-nodes)" }),
      ],
    });
  }
  let [x, y] = [MARGIN, top];
  const content = entries.map(({ width, drawn, text }) => {
    const whole = width + 5 + textWidth(text, 12) + 18;
    if (x > MARGIN && x + whole > room) {
      [x, y] = [MARGIN, y + LEGEND_ROW];
    }
    const entry = element(
      "g",
      { class: "legend-entry", transform: `translate(${rounded(x)} ${rounded(y)})` },
      ...drawn,
      textElement(text, width + 5, 12, 12, { fill: palette.text }),
    );
    x += whole;
    return entry;
  });
  return { content, bottom: y + LEGEND_ROW };
}
