/** What Cytoscape cannot draw: borders that differ by side, the letter of the type, and the headings. Painted over its canvas. */

import type { Badge } from "../../state/badges/badges";
import { areLabelsReadable, type Emphasis, LABEL_SIZE, type Label, readableLabels } from "./labels";
import { hatch, paintNode } from "./node_frame";
import { cornerSigns, FINDING, FONT, paintCorner, paintFinding, paintMark, paintSign, SMALLEST_SIGN, signSize } from "./node_signs";
import type { Palette } from "./palette";
import { FONT_SIZE, HEADING_TOP, type PlacedNode, type Placement } from "./placement";
import type { Point } from "./routes";

/** What a node looks like besides its type. */
export interface Look {
  emphasis: Emphasis;
  /** Not on the trace. */
  dimmed: boolean;
  /** Without a number, where nodes are coloured by numbers. */
  hatched: boolean;
  /** What its number is, where that has no place on the scale of colours. */
  sign: string;
  /** What is special about it beside another graph. */
  mark: string;
  /** What is wrong with it, the worst first. */
  badges: readonly Badge[];
}

export interface View {
  pan: { x: number; y: number };
  zoom: number;
}

/** How much is left of a node that is not on the trace. */
export const DIMMED = 0.28;

/** How much is to be seen of an edge that is not one of the selected node. */
export const FAINT = 0.5;

/** Signs, lines and the nodes behind a group reach at most so far beyond a node. */
const LARGEST_EXCESS = 40;

/** A letter on an edge. */
export interface EdgeSign {
  x: number;
  y: number;
  text: string;
}

/** Clears the canvas and paints everything, at the resolution of the screen. */
export function paint(
  canvas: HTMLCanvasElement,
  placement: Placement,
  lookOf: (node: number) => Look,
  edgeSigns: readonly EdgeSign[],
  view: View,
  palette: Palette,
  ways: readonly (readonly Point[])[] = [],
): void {
  const context = canvas.getContext("2d");
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (context === null || width === 0 || height === 0) {
    return;
  }
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  const scale = view.zoom * ratio;
  context.setTransform(scale, 0, 0, scale, view.pan.x * ratio, view.pan.y * ratio);
  const isInView = inView(view, canvas.clientWidth, canvas.clientHeight);
  const screen = { ...view, width: canvas.clientWidth, height: canvas.clientHeight };
  const labels = areLabelsReadable(view.zoom)
    ? null
    : readableLabels(
        placement,
        (node) => lookOf(node).emphasis,
        (node) => lookOf(node).dimmed,
        screen,
      );
  paintFaint(context, ways, palette);
  const named = new Set(labels?.filter(({ hidesBadge }) => hidesBadge).map(({ node }) => node));
  for (const node of placement.nodes) {
    if (!isInView(node)) {
      continue;
    }
    const look = lookOf(node.node);
    context.globalAlpha = look.dimmed ? DIMMED : 1;
    if (look.hatched) {
      hatch(context, node, palette.line[node.type]);
    }
    paintNode(context, node, look.emphasis, palette, view.zoom, !named.has(node.node));
  }
  context.globalAlpha = 1;
  if (labels === null) {
    paintHeadings(context, canvas.clientWidth, placement, view, palette);
  } else {
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paintLabels(context, labels, palette);
    context.setTransform(scale, 0, 0, scale, view.pan.x * ratio, view.pan.y * ratio);
  }
  paintSigns(context, placement.nodes.filter(isInView), lookOf, edgeSigns, view.zoom, palette);
}

/** Last, over names too: what is wrong with a node is seen whatever lies beside it. */
function paintSigns(
  context: CanvasRenderingContext2D,
  nodes: readonly PlacedNode[],
  lookOf: (node: number) => Look,
  edgeSigns: readonly EdgeSign[],
  zoom: number,
  palette: Palette,
): void {
  for (const node of nodes) {
    const look = lookOf(node.node);
    context.globalAlpha = look.dimmed ? DIMMED : 1;
    paintCorner(context, node, cornerSigns(look, palette), palette, zoom);
    if (look.mark !== "") {
      paintMark(context, node, { text: look.mark, fill: palette.text }, palette, zoom);
    }
    if (look.badges.includes(FINDING)) {
      paintFinding(context, node, palette, zoom);
    }
  }
  context.globalAlpha = 1;
  for (const { x, y, text } of edgeSigns) {
    paintSign(context, [x, y], { text, fill: palette.text }, palette, signSize(zoom));
  }
}

/** What connects the nodes, behind the edges of what is selected. */
function paintFaint(context: CanvasRenderingContext2D, ways: readonly (readonly Point[])[], palette: Palette): void {
  context.globalAlpha = FAINT;
  context.strokeStyle = palette.neutral;
  context.lineWidth = 1;
  context.beginPath();
  for (const way of ways) {
    context.moveTo(...way[0]!);
    for (let k = 1; k < way.length - 1; k++) {
      const [[x, y], [nextX, nextY]] = [way[k]!, way[k + 1]!];
      const isLast = k === way.length - 2;
      context.quadraticCurveTo(x, y, isLast ? nextX : (x + nextX) / 2, isLast ? nextY : (y + nextY) / 2);
    }
  }
  context.stroke();
  context.globalAlpha = 1;
}

/** Whether something of a node can be seen, its sign and the nodes behind a group included. */
function inView({ pan, zoom }: View, width: number, height: number): (node: PlacedNode) => boolean {
  const margin = LARGEST_EXCESS + SMALLEST_SIGN / zoom;
  const [left, right, top, bottom] = [
    -pan.x / zoom - margin,
    (width - pan.x) / zoom + margin,
    -pan.y / zoom - margin,
    (height - pan.y) / zoom + margin,
  ];
  return (node) =>
    node.x + node.width / 2 > left &&
    node.x - node.width / 2 < right &&
    node.y + node.height / 2 > top &&
    node.y - node.height / 2 < bottom;
}

function paintHeadings(context: CanvasRenderingContext2D, width: number, placement: Placement, view: View, palette: Palette): void {
  context.font = `${Math.max(FONT_SIZE - 1, LABEL_SIZE / view.zoom)}px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "bottom";
  // Headings of high columns stay in view, on a strip under which the nodes go.
  const lowest = (HEADING_TOP - view.pan.y) / view.zoom;
  if (placement.headings.some(({ y }) => y < lowest)) {
    const top = -view.pan.y / view.zoom;
    context.fillStyle = palette.background;
    context.fillRect(-view.pan.x / view.zoom, top, width / view.zoom, lowest + 4 - top);
  }
  context.fillStyle = palette.heading;
  for (const { text, x, y } of placement.headings) {
    context.fillText(text, x, Math.max(y, lowest));
  }
}

/** Names on the screen, with a rim of the background so that they can be read over nodes. */
function paintLabels(context: CanvasRenderingContext2D, labels: readonly Label[], palette: Palette): void {
  context.font = `${LABEL_SIZE}px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = palette.background;
  for (const { text, x, y, isHeading } of labels) {
    context.fillStyle = isHeading ? palette.heading : palette.text;
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
}
