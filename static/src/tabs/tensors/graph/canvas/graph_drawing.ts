/** The drawn part of the graph as a figure. */

import { TENSOR_TYPES } from "../../../../data/format/types";
import { BLOCK_HEIGHT, badgeBlocks, badgesWidth, type Sign } from "../../../../kits/graph/badge_signs";
import { cornerSigns, DIMMED, FINDING, FINDING_DISTANCE, STACK_DISTANCE } from "../../../../kits/graph/decorations";
import type { Palette } from "../../../../kits/graph/palette";
import { FONT_SIZE, TYPE_LETTERS } from "../../../../kits/graph/placement";
import { DIFFERENCE_CLASSES } from "../../../../kits/graph/style";
import { divergingColor, VIRIDIS } from "../../../../ui/color_scale";
import { arrowElement, type Point } from "../../../../ui/figure/arrows";
import type { Drawing } from "../../../../ui/figure/figure";
import { element, linePath, rounded, type SvgElement, textElement } from "../../../../ui/figure/svg";
import { textWidth } from "../../../../ui/figure/text";
import { brief, percent } from "../../../../ui/text/format";
import type { ColorChoice, Coloring } from "../coloring/coloring";
import { statisticLabel } from "../coloring/node_numbers";
import type { DrawnNode, GraphDrawing } from "./canvas";
import type { DrawnEdge } from "./drawn_edges";

const MARGIN = 14;
const HATCH_DISTANCE = 6;
const LEGEND_ROW = 24;
/** Places on the scale of differences, from A less to A more. */
const DIVERGING_STOPS = [-1, -0.5, 0, 0.5, 1];
const SIDES = ["A", "B"] as const;
const LINE_WIDTHS = { selected: 3.5, neighbour: 2.5, none: 1.25 } as const;

interface GraphShown {
  graph: GraphDrawing;
  palette: Palette;
  /** By what the nodes are coloured, and what the colours mean; null where it is their types. */
  colored: { choice: ColorChoice; coloring: Coloring } | null;
}

export function graphDrawing(shown: GraphShown): Drawing {
  const { graph, palette } = shown;
  const { nodes, headings } = graph;
  const nodeHeight = nodes[0]?.height ?? 0;
  const left = Math.min(
    ...nodes.map((node) => node.x - node.width / 2),
    ...headings.map(({ x, text }) => x - textWidth(text, FONT_SIZE - 1) / 2),
  );
  const right = Math.max(
    ...nodes.map((node) => node.x + node.width / 2),
    ...headings.map(({ x, text }) => x + textWidth(text, FONT_SIZE - 1) / 2),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ways = graph.edges.flatMap((edge) => {
    const [source, target] = [byId.get(edge.source), byId.get(edge.target)];
    return source === undefined || target === undefined ? [] : [{ edge, points: pointsOf(source, target, edge) }];
  });
  const heights = [...nodes.map(({ y }) => y), ...ways.flatMap(({ points }) => points.map(([, y]) => y))];
  const top = Math.min(...heights, ...headings.map(({ y }) => y - FONT_SIZE)) - nodeHeight / 2 - 4;
  const bottom = Math.max(...heights) + nodeHeight / 2 + 2 * STACK_DISTANCE + 2;
  const width = right - left + 2 * MARGIN;
  const legend = legendOf(shown, ways.length > 0, Math.max(width, 480), bottom - top + LEGEND_ROW);
  return {
    width: Math.max(width, 480),
    height: legend.bottom,
    content: [
      element(
        "g",
        { transform: `translate(${rounded(MARGIN - left + Math.max(0, 480 - width) / 2)} ${rounded(-top)})` },
        ...headings.map(({ text, x, y, full }) =>
          element(
            "g",
            { class: "heading" },
            element("title", {}, full),
            textElement(text, x, y - 2, FONT_SIZE - 1, { "text-anchor": "middle", fill: palette.heading }),
          ),
        ),
        ...ways.map(({ edge, points }) => edgeElement(edge, points, palette)),
        ...nodes.map((node) => nodeElement(node, palette)),
        ...ways.flatMap(({ edge, points }) => {
          const side = sideOf(edge.classes);
          return side === undefined ? [] : [edgeSign(side, middleOf(points), palette)];
        }),
      ),
      ...legend.content,
    ],
  };
}

/** The place of a node, and its width. */
type Box = Pick<DrawnNode, "x" | "y" | "width">;

/** Start, control points and end: `distances` are from the straight line between the two, `weights` are along it. */
export function pointsOf(source: Box, target: Box, { distances, weights }: Pick<DrawnEdge, "distances" | "weights">): Point[] {
  const [x0, y0, x1, y1] = [source.x + source.width / 2, source.y, target.x - target.width / 2, target.y];
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = Math.hypot(dx, dy) || 1;
  const controls = distances.map(
    (distance, k): Point => [x0 + dx * weights[k]! - (dy / length) * distance, y0 + dy * weights[k]! + (dx / length) * distance],
  );
  return [[x0, y0], ...controls, [x1, y1]];
}

/** Which of two graphs is the only one that has a connection, where that is so. */
function sideOf(classes: readonly string[]): "A" | "B" | undefined {
  return SIDES.find((side) => classes.includes(DIFFERENCE_CLASSES[side]));
}

function edgeElement({ type, classes }: DrawnEdge, points: readonly Point[], palette: Palette): SvgElement {
  const [isThin, isTraced, isOnlyIn] = [classes.includes("thin"), classes.includes("traced"), sideOf(classes)];
  const narrow = isThin ? 1 : isTraced ? 1.5 : 2.5;
  return arrowElement(points, {
    color: isOnlyIn === "B" ? palette.text : palette.line[type],
    width: isOnlyIn !== undefined ? 2.5 : narrow,
    size: isThin || isTraced ? 0.75 : 1,
    dashes: isOnlyIn === "B" ? "1 4" : classes.includes("without-gradient") ? "7 6" : null,
  });
}

/** The middle of a curve: between its two middle control points, or at the only one, it passes near by. */
function middleOf(points: readonly Point[]): Point {
  const [lower, upper] = [points[Math.floor((points.length - 1) / 2)]!, points[Math.ceil((points.length - 1) / 2)]!];
  return [(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2];
}

/** The letter of a connection that only one of two graphs has. */
function edgeSign(text: string, [x, y]: Point, palette: Palette): SvgElement {
  return element(
    "g",
    { class: "edge-sign" },
    element("rect", { x: x - 7, y: y - 8, width: 14, height: 16, fill: palette.text }),
    textElement(text, x, y + 4, FONT_SIZE - 2, { "font-weight": 700, fill: palette.background, "text-anchor": "middle" }),
  );
}

function nodeElement(node: DrawnNode, palette: Palette): SvgElement {
  const { type, look, name, label, width, height, group } = node;
  const [left, top] = [node.x - width / 2, node.y - height / 2];
  const line = palette.line[type];
  const fill = node.fill ?? (node.blank ? palette.background : palette.fill[type]);
  const faded = node.unrecorded && node.fill === null ? 0.35 : 1;
  const border = look.emphasis === "selected" ? palette.selected : look.emphasis === "neighbour" ? palette.neighbour : line;
  const ink = { fill: node.fill === null ? palette.text : node.ink, "text-anchor": "middle" };
  return element(
    "g",
    { class: "node", opacity: look.dimmed ? DIMMED : 1 },
    element("title", {}, `${name} (${group === null ? type : `group of ${group.members.length} nodes`})`),
    ...(group === null ? [] : [stack(node, line)]),
    element("rect", { x: left, y: top, width, height, fill, "fill-opacity": faded }),
    ...(look.hatched ? [hatching(node, line)] : []),
    ...badge(node, group === null ? TYPE_LETTERS[type] : "+", palette.line[type], palette),
    textElement(label, node.x + node.badgeWidth / 2, node.y + FONT_SIZE / 3, FONT_SIZE, ink),
    ...sides(node, border, LINE_WIDTHS[look.emphasis], palette.background),
    ...corner(cornerSigns(look, palette), left + width, top, palette),
    ...(look.mark === "" ? [] : corner([{ text: look.mark, fill: palette.text }], left, top, palette)),
    ...(look.badges.includes(FINDING)
      ? [badgeBlocks([FINDING], left - FINDING_DISTANCE - badgesWidth([FINDING]), top + height - BLOCK_HEIGHT, palette)]
      : []),
  );
}

/** Corners of two more nodes behind a group, below and to the right of it. */
function stack({ x, y, width, height }: DrawnNode, color: string): SvgElement {
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  const corner = (by: number): string =>
    linePath([
      [left + by, bottom + by],
      [right + by, bottom + by],
      [right + by, top + by],
    ]);
  return element("path", {
    class: "stack",
    d: [STACK_DISTANCE, 2 * STACK_DISTANCE].map(corner).join(""),
    fill: "none",
    stroke: color,
    "stroke-width": LINE_WIDTHS.none,
  });
}

function badge({ x, y, width, height, badgeWidth }: DrawnNode, sign: string, color: string, palette: Palette): SvgElement[] {
  const left = x - width / 2;
  const letter = textElement(sign, left + badgeWidth / 2, y + 4, FONT_SIZE - 2, {
    "font-weight": 700,
    fill: palette.background,
    "text-anchor": "middle",
  });
  return [element("rect", { x: left, y: y - height / 2, width: badgeWidth, height, fill: color }), letter];
}

/** Thin lines across a node, cut at its border. */
function hatching({ x: middle, y, width, height }: DrawnNode, color: string): SvgElement {
  const [left, top] = [middle - width / 2, y - height / 2];
  const lines: string[] = [];
  for (let x = HATCH_DISTANCE; x < width + height; x += HATCH_DISTANCE) {
    const [over, under] = [Math.max(0, x - width), Math.min(height, x)];
    lines.push(
      linePath([
        [left + x - over, top + over],
        [left + x - under, top + under],
      ]),
    );
  }
  return element("path", { d: lines.join(""), fill: "none", stroke: color, "stroke-opacity": 0.3 });
}

/** The border, whose left and right side may be dotted. */
function sides(
  { x, y, width, height, dottedLeft, dottedRight }: DrawnNode,
  color: string,
  thickness: number,
  background: string,
): SvgElement[] {
  const [x0, x1, y0, y1] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  const upright = (at: number, dotted: boolean): SvgElement[] => {
    const line = { x1: at, x2: at, y1: y0, y2: y1 };
    const wide = Math.max(thickness, 3);
    return dotted
      ? [
          element("line", { ...line, stroke: background, "stroke-width": wide }),
          element("line", { ...line, stroke: color, "stroke-width": wide, "stroke-dasharray": "3 4" }),
        ]
      : [element("line", { ...line, stroke: color, "stroke-width": thickness, "stroke-linecap": "square" })];
  };
  const level = (at: number): SvgElement => element("line", { x1: x0, x2: x1, y1: at, y2: at, stroke: color, "stroke-width": thickness });
  return [level(y0), level(y1), ...upright(x0, dottedLeft), ...upright(x1, dottedRight)];
}

/** Labels at a corner, from right to left. */
function corner(signs: readonly Sign[], x: number, y: number, palette: Palette): SvgElement[] {
  const size = FONT_SIZE - 2;
  let right = x;
  return signs.map(({ text, fill }, k) => {
    const width = textWidth(text, size) + size * 0.7;
    right += k === 0 ? width / 6 : -1;
    const middle = right - width / 2;
    right -= width;
    return element(
      "g",
      { class: "sign" },
      element("rect", { x: right, y: y - size * 0.7, width, height: size * 1.4, fill }),
      textElement(text, middle, y + size * 0.36, size, { "font-weight": 700, fill: palette.background, "text-anchor": "middle" }),
    );
  });
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
function legendOf(
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
    text: "dotted: depends on nothing (left), needed by nothing (right)",
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
