/** The markers of curves as shapes. */

import { MARKERS } from "./markers";
import { element, rounded, type SvgElement } from "./svg";

/** Marker `number` around a point; hollow ones show `background`. */
export function markShape(number: number, x: number, y: number, radius: number, color: string, background: string): SvgElement {
  const { points, hollow, strokes = [] } = MARKERS[number % MARKERS.length]!;
  const ink = { class: "mark", fill: hollow ? background : color, stroke: color, "stroke-width": hollow ? 1.5 : 0 };
  if (points === "circle") {
    return element("circle", { ...ink, cx: x, cy: y, r: radius });
  }
  const at = (dx: number, dy: number): string => `${rounded(x + dx * radius)},${rounded(y + dy * radius)}`;
  const d =
    points === "strokes"
      ? strokes.map(([x0, y0, x1, y1]) => `M${at(x0, y0)}L${at(x1, y1)}`).join("")
      : `M${points.map(([dx, dy]) => at(dx, dy)).join("L")}Z`;
  return element("path", { ...ink, d });
}
