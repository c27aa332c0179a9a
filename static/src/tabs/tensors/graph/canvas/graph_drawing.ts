/** The drawn part of the graph as a figure. */

import { FAINT } from "../../../../kits/graph/decorations";
import { STACK_DISTANCE } from "../../../../kits/graph/node_frame";
import type { Palette } from "../../../../kits/graph/palette";
import { FONT_SIZE } from "../../../../kits/graph/placement";
import { DIFFERENCE_CLASSES } from "../../../../kits/graph/style";
import { arrowElement, curvePath, type Point } from "../../../../ui/figure/arrows";
import type { Drawing } from "../../../../ui/figure/figure";
import { element, rounded, type SvgElement, textElement } from "../../../../ui/figure/svg";
import { textWidth } from "../../../../ui/figure/text";
import type { DrawnNode, GraphDrawing } from "./canvas";
import type { DrawnEdge } from "./drawn_edges";
import { type GraphShown, LEGEND_ROW, legendOf, MARGIN, SIDES } from "./graph_legend_drawing";
import { edgeSign, nodeElement } from "./graph_node_drawing";

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
  const heights = [
    ...nodes.map(({ y }) => y),
    ...[...ways.map(({ points }) => points), ...graph.faint].flatMap((way) => way.map(([, y]) => y)),
  ];
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
        ...(graph.faint.length === 0 ? [] : [faintElement(graph.faint, palette)]),
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

/** All connections, behind those of what is selected. */
function faintElement(ways: GraphDrawing["faint"], palette: Palette): SvgElement {
  return element("path", {
    class: "faint",
    d: ways.map(curvePath).join(""),
    fill: "none",
    stroke: palette.neutral,
    "stroke-opacity": FAINT,
  });
}

/** The middle of a curve: between its two middle control points, or at the only one, it passes near by. */
function middleOf(points: readonly Point[]): Point {
  const [lower, upper] = [points[Math.floor((points.length - 1) / 2)]!, points[Math.ceil((points.length - 1) / 2)]!];
  return [(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2];
}
