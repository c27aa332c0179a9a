/** Where the nodes of a graph are drawn. Lengths are pixels at a zoom of 1. */

import type { Graph, TensorType } from "../../data/types";
import { elided } from "../format";
import type { Window } from "./columns";
import type { Group } from "./items";
import { hasEnds, type Layout } from "./layout";

export const FONT_SIZE = 13;
export const NODE_HEIGHT = 28;
export const BADGE_WIDTH = 20;
export const ROW_HEIGHT = 42;
export const COLUMN_GAP = 48;
const LONGEST_LABEL = 28;
const NARROWEST = 76;
const PADDING = 10;
const HEADING_DISTANCE = 12;

/** A letter per type, so that colour is not the only sign. */
export const TYPE_LETTERS: Readonly<Record<TensorType, string>> = { input: "I", calculated: "C", target: "T", loss: "L", parameter: "P" };

/** A node, or a collapsed group of nodes. */
export interface PlacedNode {
  /** Position in the graph; of a group, its number as an item. */
  node: number;
  id: string;
  /** Of a group, its prefix. */
  name: string;
  label: string;
  labelWidth: number;
  type: TensorType;
  group: Group | null;
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
  width: number;
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

/** Places the nodes and groups of a window in centred columns as wide as their labels. `measure` gives the width of a text. */
export function placeGraph(graph: Graph, layout: Layout, window: Window, measure: (text: string) => number): Placement {
  const { name, type } = graph.nodes;
  const nodes: PlacedNode[] = [];
  const headings: PlacedHeading[] = [];
  const columns: PlacedColumn[] = [];
  let left = 0;
  for (const [place, members] of window.columns.entries()) {
    const labels = members.map((item) => elided(layout.labelOf(item), LONGEST_LABEL));
    const widths = labels.map((text) => Math.ceil(measure(text)));
    const width = widths.reduce((most, own) => Math.max(most, own + BADGE_WIDTH + 2 * PADDING), NARROWEST);
    const x = left + width / 2;
    const top = -((members.length - 1) * ROW_HEIGHT) / 2;
    members.forEach((item, k) => {
      const group = layout.items.groups.get(item) ?? null;
      const ownType = group?.type ?? type[item]!;
      const has = hasEnds(graph, layout, item);
      nodes.push({
        node: item,
        id: `n${item}`,
        name: group?.prefix ?? name[item]!,
        label: labels[k]!,
        labelWidth: widths[k]!,
        type: ownType,
        group,
        x,
        y: top + k * ROW_HEIGHT,
        width,
        dottedLeft: ownType !== "parameter" && !has.dependencies,
        dottedRight: ownType !== "parameter" && !has.dependents,
      });
    });
    columns.push({ left, right: left + width, middles: members.map((_, k) => top + k * ROW_HEIGHT) });
    const full = layout.headings[window.numbers[place]!] ?? "";
    if (full !== "") {
      const text = fitted(full, width + COLUMN_GAP - 16, measure);
      headings.push({ x, y: top - NODE_HEIGHT / 2 - HEADING_DISTANCE, text, full, width: measure(text) });
    }
    left += width + COLUMN_GAP;
  }
  return { nodes, headings, columns };
}

function fitted(text: string, width: number, measure: (text: string) => number): string {
  const size = measure(text);
  return size <= width ? text : elided(text, Math.max(3, Math.floor((text.length * width) / size)));
}
