/** The edges of graphs in figures: curves with a head at their end. */

import { element, linePath, rounded, type SvgElement } from "./svg";

export type Point = readonly [number, number];

const HEAD = { length: 10, width: 8 };

interface ArrowLook {
  color: string;
  width: number;
  /** Of its head; 1 is the usual one. */
  size: number;
  /** Lengths of dashes and gaps; null: drawn through. Dashes of 1 are round: dots. */
  dashes: string | null;
}

/** From the first point to the last one, led by those between. */
export function arrowElement(points: readonly Point[], { color, width, size, dashes }: ArrowLook): SvgElement {
  const [x, y] = points[points.length - 1]!;
  const [before] = points.slice(-2);
  const angle = Math.atan2(y - before![1], x - before![0]);
  const back = HEAD.length * size * 0.8;
  const line = curvePath([...points.slice(0, -1), [x - back * Math.cos(angle), y - back * Math.sin(angle)]]);
  return element(
    "g",
    { class: "edge" },
    element("path", {
      d: line,
      fill: "none",
      stroke: color,
      "stroke-width": width,
      ...(dashes !== null && { "stroke-dasharray": dashes, "stroke-linecap": dashes.startsWith("1 ") ? "round" : "butt" }),
    }),
    element("path", {
      d: `M0,0L${-HEAD.length * size},${(HEAD.width / 2) * size}V${(-HEAD.width / 2) * size}Z`,
      fill: color,
      transform: `translate(${rounded(x)} ${rounded(y)}) rotate(${rounded((angle * 180) / Math.PI)})`,
    }),
  );
}

/** A curve that bends at each control point, and passes through the middles between them. */
export function curvePath(points: readonly Point[]): string {
  const at = ([x, y]: Point): string => `${rounded(x)},${rounded(y)}`;
  const controls = points.slice(1, -1);
  const bends = controls.map((control, k) => {
    const next = controls[k + 1];
    const end: Point = next === undefined ? points[points.length - 1]! : [(control[0] + next[0]) / 2, (control[1] + next[1]) / 2];
    return `Q${at(control)} ${at(end)}`;
  });
  return controls.length === 0 ? linePath(points) : `M${at(points[0]!)}${bends.join("")}`;
}
