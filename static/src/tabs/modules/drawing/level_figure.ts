/** A level of the modules as a figure. */

import { badgeBlocks } from "../../../kits/graph/badge_signs";
import type { Palette } from "../../../kits/graph/palette";
import { FONT_SIZE } from "../../../kits/graph/placement";
import { arrowElement } from "../../../ui/figure/arrows";
import type { Drawing } from "../../../ui/figure/figure";
import { element, rounded, type SvgElement, textElement } from "../../../ui/figure/svg";
import { textWidth } from "../../../ui/figure/text";
import type { LevelNodeKind } from "../levels/level";
import { BADGES_ABOVE, type DrawnEdge, type DrawnItem, type DrawnLevel } from "./level_drawing";

const MARGIN = 18;

export function modulesDrawing({ items, edges, placed }: DrawnLevel, palette: Palette): Drawing {
  const { left, right, top, bottom } = placed.bounds;
  return {
    width: right - left + 2 * MARGIN,
    height: bottom - top + 2 * MARGIN,
    content: [
      element(
        "g",
        { transform: `translate(${rounded(MARGIN - left)} ${rounded(MARGIN - top)})` },
        ...edges.flatMap((edge) => edgeElements(edge, palette)),
        ...items.map((item) => itemElement(item, palette)),
      ),
    ],
  };
}

function edgeElements({ points, classes, label }: DrawnEdge, palette: Palette): SvgElement[] {
  const isRare = classes.includes("rare");
  const dashes = isRare ? "2 4" : classes.includes("without-gradient") ? "7 6" : null;
  const color = classes.includes("direct") ? palette.line.input : palette.line.calculated;
  const [[x0, y0], [x1, y1]] = [points[Math.floor((points.length - 1) / 2)]!, points[Math.ceil((points.length - 1) / 2)]!];
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const width = textWidth(label, FONT_SIZE - 2) + 6;
  const often = [
    element("rect", { x: x - width / 2, y: y - FONT_SIZE * 0.6, width, height: FONT_SIZE * 1.2, fill: palette.background }),
    textElement(label, x, y + FONT_SIZE * 0.3, FONT_SIZE - 2, { "text-anchor": "middle", fill: palette.text }),
  ];
  return [arrowElement(points, { color, width: isRare ? 1.25 : 2, size: 0.9, dashes }), ...(label === "" ? [] : often)];
}

const COLORS = {
  call: "calculated",
  tensor: "calculated",
  inside: "calculated",
  input: "input",
  outside: "input",
  output: "target",
} as const satisfies Record<LevelNodeKind, string>;

function itemElement({ x, y, width, height, title, subtitle, badges, kind, node }: DrawnItem, palette: Palette): SvgElement {
  const type = kind === "single" ? COLORS[node.kind] : "calculated";
  const isDashed = kind === "single" && (node.kind === "outside" || node.kind === "inside");
  const isFilled = kind !== "single" || (node.kind === "call" ? node.hasCalls : !isDashed);
  const isPort = kind === "single" && node.kind !== "call";
  const box = { x: x - width / 2, y: y - height / 2, width, height, ...(isPort && { rx: 8 }) };
  const stroke = node.raised ? palette.bad : palette.line[type];
  const inner = { x: box.x + 4, y: box.y + 4, width: width - 8, height: height - 8 };
  const text = (content: string, at: number): SvgElement =>
    textElement(content, x, at, FONT_SIZE, { "text-anchor": "middle", fill: palette.text });
  return element(
    "g",
    { class: "node" },
    element("title", {}, kind === "single" && node.module !== "" ? `${node.module}: ${subtitle}` : `${title}: ${subtitle}`),
    element("rect", {
      ...box,
      fill: isFilled ? palette.fill[type] : palette.background,
      stroke,
      "stroke-width": isPort || !isFilled ? 1.25 : 2,
      ...(isDashed && { "stroke-dasharray": "4 3" }),
    }),
    ...(kind === "single" ? [] : [element("rect", { ...inner, fill: "none", stroke, "stroke-width": 1.25 })]),
    ...(badges.length === 0 ? [] : [badgeBlocks(badges, box.x, box.y - BADGES_ABOVE, palette)]),
    ...(subtitle === "" ? [text(title, y + FONT_SIZE * 0.35)] : [text(title, y - FONT_SIZE * 0.25), text(subtitle, y + FONT_SIZE)]),
  );
}
