/** Where the nodes of a graph are drawn. Lengths are pixels at a zoom of 1. */

import type { Graph, TensorType } from "../../data/types";
import { elided, nodeLabel } from "../format";
import type { Window } from "./columns";
import { endsOf } from "./relations";

export const FONT_SIZE = 13;
export const NODE_HEIGHT = 28;
export const BADGE_WIDTH = 20;
const ROW_HEIGHT = 42;
export const COLUMN_GAP = 48;
const LONGEST_LABEL = 28;
const NARROWEST = 76;
const PADDING = 10;
const HEADING_DISTANCE = 12;

/** A letter per type, so that colour is not the only sign. */
export const TYPE_LETTERS: Readonly<Record<TensorType, string>> = { input: "I", calculated: "C", target: "T", loss: "L", parameter: "P" };

export interface PlacedNode {
  /** Position in the graph. */
  node: number;
  id: string;
  name: string;
  label: string;
  type: TensorType;
  x: number;
  y: number;
  width: number;
  /** Drawn dotted: nothing it depends on, nothing that depends on it. */
  dottedLeft: boolean;
  dottedRight: boolean;
}

export interface PlacedHeading {
  x: number;
  /** Bottom of its text. */
  y: number;
  text: string;
  full: string;
}

export interface Placement {
  nodes: PlacedNode[];
  headings: PlacedHeading[];
  /** From left to right; what lies in the way of an edge. */
  columns: PlacedColumn[];
}

export interface PlacedColumn {
  left: number;
  right: number;
  /** Heights of the middles of its nodes, ascending. */
  middles: number[];
}

/** Places the nodes of a window in centred columns as wide as their labels. `measure` gives the width of a text. */
export function placeGraph(graph: Graph, window: Window, measure: (text: string) => number): Placement {
  const { hasDependencies, hasDependents } = endsOf(graph);
  const { name, type, label, column } = graph.nodes;
  const nodes: PlacedNode[] = [];
  const headings: PlacedHeading[] = [];
  const columns: PlacedColumn[] = [];
  let left = 0;
  for (const members of window.columns) {
    const labels = members.map((node) => elided(nodeLabel(label[node]!), LONGEST_LABEL));
    const width = Math.max(NARROWEST, ...labels.map((text) => Math.ceil(measure(text)) + BADGE_WIDTH + 2 * PADDING));
    const x = left + width / 2;
    const top = -((members.length - 1) * ROW_HEIGHT) / 2;
    members.forEach((node, k) => {
      nodes.push({
        node,
        id: `n${node}`,
        name: name[node]!,
        label: labels[k]!,
        type: type[node]!,
        x,
        y: top + k * ROW_HEIGHT,
        width,
        dottedLeft: type[node] !== "parameter" && !hasDependencies[node],
        dottedRight: type[node] !== "parameter" && !hasDependents[node],
      });
    });
    columns.push({ left, right: left + width, middles: members.map((_, k) => top + k * ROW_HEIGHT) });
    const full = graph.columns.heading[column[members[0]!]!] ?? "";
    if (full !== "") {
      headings.push({ x, y: top - NODE_HEIGHT / 2 - HEADING_DISTANCE, text: fitted(full, width + COLUMN_GAP - 16, measure), full });
    }
    left += width + COLUMN_GAP;
  }
  return { nodes, headings, columns };
}

function fitted(text: string, width: number, measure: (text: string) => number): string {
  const size = measure(text);
  return size <= width ? text : elided(text, Math.max(3, Math.floor((text.length * width) / size)));
}
