/** The colours of a graph. */

import { TENSOR_TYPES, type TensorType } from "../../data/format/types";

export interface Palette {
  fill: Readonly<Record<TensorType, string>>;
  line: Readonly<Record<TensorType, string>>;
  text: string;
  heading: string;
  selected: string;
  neighbour: string;
  background: string;
  bad: string;
  /** For what has no number, where there is no room to hatch it. */
  neutral: string;
}

/** The colours of a graph, by the names that they have in the style sheet. */
export function readPalette(color: (name: string) => string): Palette {
  const byType = (part: string) => Object.fromEntries(TENSOR_TYPES.map((type) => [type, color(`${type}-${part}`)])) as Palette["fill"];
  return {
    fill: byType("fill"),
    line: byType("line"),
    text: color("text"),
    heading: color("text-soft"),
    selected: color("selected"),
    neighbour: color("neighbour"),
    background: color("surface"),
    bad: color("bad"),
    neutral: color("control-line"),
  };
}
