/** The nodes of the graph as a vector drawing. */

import { BLOCK_HEIGHT, badgeBlocks, badgesWidth, type Sign } from "../../../../kits/graph/badge_signs";
import { DIMMED } from "../../../../kits/graph/decorations";
import { STACK_DISTANCE } from "../../../../kits/graph/node_frame";
import { BESIDE, cornerSigns, FINDING, FINDING_DISTANCE, RAISED, topOfFinding } from "../../../../kits/graph/node_signs";
import type { Palette } from "../../../../kits/graph/palette";
import { FONT_SIZE, TYPE_LETTERS } from "../../../../kits/graph/placement";
import type { Point } from "../../../../ui/figure/arrows";
import { element, linePath, type SvgElement, textElement } from "../../../../ui/figure/svg";
import { textWidth } from "../../../../ui/figure/text";
import type { DrawnNode } from "./canvas";

const HATCH_DISTANCE = 6;

const LINE_WIDTHS = { selected: 3.5, neighbour: 2.5, none: 1.25 } as const;

/** The letter of a connection that only one of two graphs has. */
export function edgeSign(text: string, [x, y]: Point, palette: Palette): SvgElement {
  return element(
    "g",
    { class: "edge-sign" },
    element("rect", { x: x - 7, y: y - 8, width: 14, height: 16, fill: palette.text }),
    textElement(text, x, y + 4, FONT_SIZE - 2, { "font-weight": 700, fill: palette.background, "text-anchor": "middle" }),
  );
}

export function nodeElement(node: DrawnNode, palette: Palette): SvgElement {
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
    ...corner(cornerSigns(look, palette), left + width, top - RAISED, palette),
    ...(look.mark === "" ? [] : corner([{ text: look.mark, fill: palette.text }], left, top - RAISED, palette)),
    ...(look.badges.includes(FINDING)
      ? [badgeBlocks([FINDING], left - FINDING_DISTANCE - badgesWidth([FINDING]), topOfFinding(node, BLOCK_HEIGHT), palette)]
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
    right += k === 0 ? width * BESIDE : -1;
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
