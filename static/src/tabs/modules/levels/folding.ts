/** Equal modules in a row are one node until they are unfolded; so is what would be too much to draw. */

import type { Flow } from "./call_graph";

/** Nodes and edges that are drawn at most. */
const MOST_ELEMENTS = 600;

/** So many edges can be distinguished in any case, and so many per node. */
const CLEAR_EDGES = 150;
const CLEAR_EDGES_PER_NODE = 3;

/** More than this is never unfolded at a time, whatever an address says. */
const MOST_UNFOLDED = 64;

/** From so many equal modules in a row on they are folded. */
const SHORTEST_ROW = 3;

export interface FoldableNode {
  key: string;
  /** Equal for calls that may stand in a row; null for what is never folded. */
  shape: string | null;
}

interface FoldableEdge {
  from: number;
  to: number;
}

/** A node as it is drawn: one of the level, or several. */
export interface Item {
  /** The key of the first member. */
  key: string;
  /** Positions in the level, ascending. */
  members: readonly number[];
  /** `row`: equal modules in a row; `rest`: what would be too much to draw. */
  kind: "single" | "row" | "rest";
}

interface Folded {
  items: readonly Item[];
  /** By node of the level. */
  itemOf: readonly number[];
}

/** All that were seen, so that they can be compared from step to step. */
const KNOWN_SHAPES = new Map<string, number>();

/** Equal for calls of modules of the same type with the same settings and mode that make the same calls. */
export function callShapes(flow: Flow): string[] {
  const shapes = new Array<string>(flow.calls.length);
  for (let row = flow.calls.length - 1; row >= 0; row--) {
    const { type, description, training, raised, children } = flow.calls[row]!;
    const text = JSON.stringify([type, description, training, raised, ...children.map((child) => shapes[child])]);
    const number = KNOWN_SHAPES.get(text) ?? KNOWN_SHAPES.size;
    KNOWN_SHAPES.set(text, number);
    shapes[row] = `${number}`;
  }
  return shapes;
}

/** `unfolded` holds the keys of items that are not to be folded; of these, the ones that were added last count if not all can be drawn. */
export function fold(
  nodes: readonly FoldableNode[],
  edges: readonly FoldableEdge[],
  unfolded: readonly string[],
  most = MOST_ELEMENTS,
): Folded {
  for (let first = Math.max(0, unfolded.length - MOST_UNFOLDED); ; first++) {
    const open = new Set(unfolded.slice(first));
    const rows = folded(
      nodes.length,
      rowsOf(nodes, edges).filter((row) => !open.has(nodes[row[0]!]!.key)),
      nodes,
    );
    const enough = canBeDrawn(rows, edges, most) ? rows : withRest(rows, nodes.length, edges, open, most);
    if (canBeDrawn(enough, edges, most) || first >= unfolded.length) {
      return enough;
    }
  }
}

/** `unfolded`, and what has to be unfolded besides, so that a node is drawn alone. */
export function unfoldedAround(
  nodes: readonly FoldableNode[],
  edges: readonly FoldableEdge[],
  unfolded: readonly string[],
  node: number,
  most = MOST_ELEMENTS,
): string[] {
  const all = [...unfolded];
  for (;;) {
    const { items, itemOf } = fold(nodes, edges, all, most);
    const { kind, key } = items[itemOf[node]!]!;
    // What is folded although it should not be is too much to draw.
    if (kind === "single" || all.includes(key)) {
      return all;
    }
    all.push(key);
  }
}

/**
 * Rows of equal nodes, each of which reads from the one before. What else a member reads must come before the whole row, so that
 * nothing leads out of a row and back into it.
 */
export function rowsOf(nodes: readonly FoldableNode[], edges: readonly FoldableEdge[]): number[][] {
  const sources = nodes.map((): number[] => []);
  edges.forEach(({ from, to }) => sources[to]!.push(from));
  const rows: number[][] = [];
  const inRow = new Map<number, number[]>();
  nodes.forEach(({ shape }, node) => {
    if (shape === null) {
      return;
    }
    const before = sources[node]!.find((source) => nodes[source]!.shape === shape && isLast(inRow, source));
    const row = before === undefined ? undefined : inRow.get(before);
    if (row !== undefined && sources[node]!.every((source) => source < row[0]! || inRow.get(source) === row)) {
      row.push(node);
      inRow.set(node, row);
    } else {
      const started = [node];
      rows.push(started);
      inRow.set(node, started);
    }
  });
  return rows.filter((row) => row.length >= SHORTEST_ROW);
}

function isLast(inRow: ReadonlyMap<number, number[]>, node: number): boolean {
  return inRow.get(node)?.at(-1) === node;
}

function folded(count: number, rows: readonly number[][], nodes: readonly FoldableNode[]): Folded {
  const rowOf = new Map(rows.flatMap((row) => row.map((node): [number, number[]] => [node, row])));
  const items: Item[] = [];
  for (let node = 0; node < count; node++) {
    const row = rowOf.get(node);
    if (row === undefined) {
      items.push({ key: nodes[node]!.key, members: [node], kind: "single" });
    } else if (row[0] === node) {
      items.push({ key: nodes[node]!.key, members: row, kind: "row" });
    }
  }
  return asFolded(items, count);
}

/**
 * Joins items that follow one another, as few as needed, so that what is drawn is not too much. What is in `open` is not joined, so that
 * it may be too much after all.
 */
function withRest(rows: Folded, count: number, edges: readonly FoldableEdge[], open: ReadonlySet<string>, most: number): Folded {
  let size = 2;
  while (size < rows.items.length && !canBeDrawn(joinedBy(rows, size, new Set(), count), edges, most)) {
    size *= 2;
  }
  return joinedBy(rows, size, open, count);
}

function joinedBy(rows: Folded, size: number, open: ReadonlySet<string>, count: number): Folded {
  const items: Item[] = [];
  for (let start = 0; start < rows.items.length; start += size) {
    const part = rows.items.slice(start, start + size);
    const key = restKey(part);
    if (part.length === 1 || open.has(key)) {
      items.push(...part);
    } else {
      items.push({ key, members: part.flatMap(({ members }) => members).sort((a, b) => a - b), kind: "rest" });
    }
  }
  return asFolded(items, count);
}

function restKey(part: readonly Item[]): string {
  return `rest ${part.length} ${part[0]!.key}`;
}

function asFolded(items: readonly Item[], count: number): Folded {
  const itemOf = new Array<number>(count);
  items.forEach(({ members }, item) => members.forEach((node) => (itemOf[node] = item)));
  return { items, itemOf };
}

function canBeDrawn({ items, itemOf }: Folded, edges: readonly FoldableEdge[], most: number): boolean {
  const pairs = new Set<number>();
  for (const edge of edges) {
    const [from, to] = [itemOf[edge.from]!, itemOf[edge.to]!];
    if (from !== to) {
      pairs.add(from * items.length + to);
    }
  }
  return items.length + pairs.size <= most && pairs.size <= Math.max(CLEAR_EDGES, CLEAR_EDGES_PER_NODE * items.length);
}

/** The edges between items; `merge` makes one of all that lead from one item to another. */
export function joinedEdges<E extends FoldableEdge>(folded: Folded, edges: readonly E[], merge: (kept: E, other: E) => E): E[] {
  const joined = new Map<string, E>();
  for (const edge of edges) {
    const [from, to] = [folded.itemOf[edge.from]!, folded.itemOf[edge.to]!];
    if (from !== to) {
      const known = joined.get(`${from}/${to}`);
      joined.set(`${from}/${to}`, known === undefined ? { ...edge, from, to } : { ...merge(known, edge), from, to });
    }
  }
  return [...joined.values()].sort((a, b) => a.from - b.from || a.to - b.to);
}
