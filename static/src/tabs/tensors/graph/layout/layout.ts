/** Places the items of a graph, before lengths: in which column, and above and below which others. */

import { groupedBy } from "../../../../data/collections";
import type { Graph } from "../../../../data/format/types";
import { nodeLabel } from "../../../../ui/text/format";
import { columnsOf } from "./columns";
import { type Filter, isVisible } from "./filter";
import { ALL_OPEN, type Folding, fittingLevel } from "./folding";
import { firstNode, type Items, itemsOf } from "./items";
import { type Layered, layersOf } from "./layers";
import { prefixTreeOf } from "./prefixes";
import { type Quotient, quotientOf } from "./quotient";
import { endsOf, shapeKey } from "./relations";

/** Nodes that are drawn at most; the library stays fluid up to about a thousand. */
export const MOST_NODES = 600;

/** Nodes and groups that a graph of more nodes than that is collapsed into. */
const MOST_ITEMS = 300;

/** Columns that fit side by side with names that can be read: a graph of more is collapsed. */
const MOST_COLUMNS = 12;

/** A single group says nothing about a graph where there are no more nodes beside it than this. */
const FEW_NODES = 3;

export interface Layout {
  graph: Graph;
  /** What is drawn of the graph, and how; equal for layouts of it that look the same. */
  key: string;
  folding: Folding;
  items: Items;
  columns: readonly (readonly number[])[];
  /** The common beginning of all names of every column. */
  headings: readonly string[];
  /** Null where nothing is collapsed. */
  quotient: Quotient | null;
  labelOf(item: number): string;
}

/** The layout of what a filter leaves; `chosen` is null where the graph is to be collapsed as far as it must. */
export function layoutOf(graph: Graph, chosen: Folding | null, filter: Filter): Layout {
  const isDrawn = (node: number): boolean => isVisible(graph, filter, node);
  const folding = chosen ?? startingFolding(graph, isDrawn, filter);
  const items = itemsOf(graph, folding, isDrawn);
  return items.groups.size === 0 ? asExported(graph, folding, items) : collapsed(graph, folding, items);
}

/**
 * Everything open if that is few enough, and else as few groups open as needed. If groups are too many too, all is open. The names that
 * a prefix asks for are shown even in many columns.
 */
function startingFolding(graph: Graph, isDrawn: (node: number) => boolean, { prefix }: Filter): Folding {
  const { length } = graph.nodes.name.filter((_, node) => isDrawn(node));
  if (length > MOST_NODES) {
    return { ...ALL_OPEN, level: fittingLevel(prefixTreeOf(graph), isDrawn, MOST_ITEMS) };
  }
  return prefix === "" ? { ...ALL_OPEN, level: levelOfFewColumns(graph, isDrawn) } : ALL_OPEN;
}

/** The deepest level with few enough columns; without one, the outermost level that still says something. 0: all is open. */
function levelOfFewColumns(graph: Graph, isDrawn: (node: number) => boolean): number {
  const all = new Set(graph.nodes.column.filter((_, node) => isDrawn(node)));
  let fitting = 0;
  let columns = all.size;
  const deepest = prefixTreeOf(graph).depth.reduce((most, depth) => Math.max(most, depth), 0);
  for (let level = deepest; level > 0 && columns > MOST_COLUMNS; level--) {
    const items = itemsOf(graph, { ...ALL_OPEN, level }, isDrawn);
    if (items.groups.size === 1 && items.numbers.length <= 1 + FEW_NODES) {
      break;
    }
    fitting = level;
    columns = layersOf(layeredOf(graph, items), quotientOf(graph, items).dependents).length;
  }
  return fitting;
}

function asExported(graph: Graph, folding: Folding, items: Items): Layout {
  const isComplete = items.numbers.length === graph.nodes.name.length;
  const all = columnsOf(graph);
  const columns = isComplete
    ? all
    : all.map((column) => column.filter((node) => items.ofNode[node] === node)).filter((column) => column.length > 0);
  const headings = columns.map((column) => graph.columns.heading[graph.nodes.column[column[0]!]!] ?? "");
  const key = isComplete ? "" : JSON.stringify(items.numbers);
  return { graph, key, folding, items, columns, headings, quotient: null, labelOf: (item) => nodeLabel(graph.nodes.label[item]!) };
}

function layeredOf(graph: Graph, items: Items): Layered[] {
  return items.numbers.map((item) => {
    const node = firstNode(items, item);
    const group = items.groups.get(item);
    return {
      type: group?.type ?? graph.nodes.type[node]!,
      name: group?.prefix ?? graph.nodes.name[node]!,
      column: graph.nodes.column[node]!,
    };
  });
}

function collapsed(graph: Graph, folding: Folding, items: Items): Layout {
  const quotient = quotientOf(graph, items);
  const layered = layeredOf(graph, items);
  const places = layersOf(layered, quotient.dependents);
  const headings = places.map((column) => headingOf(column.map((place) => layered[place]!.name)));
  const columns = places.map((column) => column.map((place) => items.numbers[place]!));
  const labels = new Map<number, string>();
  const groupLabels = distinctLabels(
    columns.flatMap((column, number) =>
      column.flatMap((item, row) =>
        items.groups.has(item) ? [{ item, name: layered[places[number]![row]!]!.name, heading: headings[number]! }] : [],
      ),
    ),
  );
  columns.forEach((column, number) => {
    for (const [row, item] of column.entries()) {
      const label = layered[places[number]![row]!]!.name.slice(headings[number]!.length);
      labels.set(item, items.groups.has(item) ? `${groupLabels.get(item)} (${items.groups.get(item)!.members.length})` : nodeLabel(label));
    }
  });
  const key = JSON.stringify([columns, [...labels.values()]]);
  return { graph, key, folding, items, columns, headings, quotient, labelOf: (item) => labels.get(item) ?? "" };
}

/** Whether two layouts look the same, be they of the same graph or of different steps. */
export function looksLike(layout: Layout, other: Layout): boolean {
  return (
    layout === other || (layout.key === other.key && (layout.graph === other.graph || shapeKey(layout.graph) === shapeKey(other.graph)))
  );
}

interface NamedGroup {
  item: number;
  name: string;
  /** What is left out of its label, since it stands above its column. */
  heading: string;
}

/** The names of groups without the headings of their columns. Equal names get as many more parts as distinguish them. */
function distinctLabels(groups: readonly NamedGroup[]): ReadonlyMap<number, string> {
  const labels = new Map<number, string>();
  for (const [label, same] of groupedBy(groups, ({ name, heading }) => name.slice(heading.length))) {
    const shortened = (count: number): string[] => same.map(({ name }) => name.split(".").slice(-count).join("."));
    let count = label.split(".").length;
    while (new Set(shortened(count)).size < same.length) {
      count += 1;
    }
    shortened(count).forEach((text, k) => labels.set(same[k]!.item, text));
  }
  return labels;
}

/** What all of some sorted names begin with, up to and with its last dot; every name has something behind it. */
function headingOf(names: readonly string[]): string {
  const [first, last] = [names[0]!, names[names.length - 1]!];
  let shared = 0;
  while (shared < Math.min(first.length - 1, last.length) && first[shared] === last[shared]) {
    shared += 1;
  }
  return first.slice(0, first.slice(0, shared).lastIndexOf(".") + 1);
}

/** Says of every item whether it depends on anything and whether anything depends on it. */
export function hasEnds(graph: Graph, { items, quotient }: Layout, item: number): { dependencies: boolean; dependents: boolean } {
  if (quotient === null || !items.groups.has(item)) {
    const ends = endsOf(graph);
    return { dependencies: ends.hasDependencies[item]!, dependents: ends.hasDependents[item]! };
  }
  const place = quotient.placeOf.get(item)!;
  const any = ({ start }: Quotient["dependents"]): boolean => start[place + 1]! > start[place]!;
  return { dependencies: any(quotient.dependencies), dependents: any(quotient.dependents) };
}
