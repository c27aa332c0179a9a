/** Places the nodes of a level in layers, so that edges lead from one layer to later ones. Pure, and the same for the same level. */

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** Along which axis the layers follow one another. */
export type FlowDirection = "down" | "right";

export interface PlacedLevel {
  direction: FlowDirection;
  /** The middles of the nodes. */
  positions: readonly Point[];
  /** Per edge the points that it passes on its way through the layers between its ends. */
  ways: readonly (readonly Point[])[];
  /** By node. */
  layers: readonly number[];
  /** Nodes of each layer in their order. */
  orders: readonly (readonly number[])[];
  /** What everything takes, the ways of edges included. */
  bounds: Bounds;
}

interface Bounds {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface LayoutEdge {
  from: number;
  to: number;
}

const LAYER_GAP = 44;
/** Between two nodes, a node and an edge that passes it, and two such edges. */
const NODE_GAP = 28;
const EDGE_GAP = 18;
const WAY_GAP = 12;
const ORDER_SWEEPS = 12;
const PLACE_SWEEPS = 8;
/** Between levels of ordinary zoom, the usual direction wins. */
const LARGEST_ZOOM = 1.2;

/**
 * The direction is the one in which more can be seen in the room that there is, and down where both are as good. `isEnd` says which nodes
 * stay in the first layer although what reads them is further down. An edge to an earlier node counts the other way round.
 */
export function layOut(sizes: readonly Size[], edges: readonly LayoutEdge[], isEnd: (node: number) => boolean, room: Size): PlacedLevel {
  const down = place(sizes, edges, isEnd, "down");
  const right = place(sizes, edges, isEnd, "right");
  const zoom = ({ bounds }: PlacedLevel): number =>
    Math.min(LARGEST_ZOOM, room.width / (bounds.right - bounds.left), room.height / (bounds.bottom - bounds.top));
  return zoom(right) > zoom(down) * 1.05 ? right : down;
}

/** A node, or (`node` is -1) a place where an edge passes a layer. */
interface Cell {
  node: number;
  extent: number;
  before: number[];
  behind: number[];
}

export function place(
  sizes: readonly Size[],
  edges: readonly LayoutEdge[],
  isEnd: (node: number) => boolean,
  direction: FlowDirection,
): PlacedLevel {
  const forward = edges.map(({ from, to }) => (from < to ? { from, to } : { from: to, to: from }));
  const layers = layersOf(sizes.length, forward, isEnd);
  const across = (size: Size): number => (direction === "down" ? size.width : size.height);
  const along = (size: Size): number => (direction === "down" ? size.height : size.width);
  const cells: Cell[] = sizes.map((size, node) => ({ node, extent: across(size), before: [], behind: [] }));
  const rows: number[][] = Array.from({ length: Math.max(0, ...layers) + (sizes.length > 0 ? 1 : 0) }, () => []);
  layers.forEach((layer, node) => rows[layer]!.push(node));
  const passes = forward.map(({ from, to }) => addWay(cells, rows, from, to, layers));
  order(cells, rows);
  const middles = acrossPositions(cells, rows);
  const starts = layerPositions(rows, cells, (node) => along(sizes[node]!));
  const pointOf = (cell: number, layer: number): Point =>
    direction === "down" ? { x: middles[cell]!, y: starts[layer]! } : { x: starts[layer]!, y: middles[cell]! };
  const ways = passes.map((way, k) => {
    const points = way.map((cell, n) => pointOf(cell, layers[forward[k]!.from]! + 1 + n));
    return edges[k]!.from < edges[k]!.to ? points : points.reverse();
  });
  const positions = sizes.map((_, node) => pointOf(node, layers[node]!));
  return {
    direction,
    positions,
    ways,
    layers,
    orders: rows.map((row) => row.filter((cell) => cells[cell]!.node >= 0)),
    bounds: boundsOf(positions, sizes, ways.flat()),
  };
}

/** The longest way from a beginning; what nothing leads to stands just before what reads it, unless it is to stay at the end. */
export function layersOf(count: number, edges: readonly LayoutEdge[], isEnd: (node: number) => boolean): number[] {
  const layers = new Array<number>(count).fill(0);
  const sinks = Array.from({ length: count }, (): number[] => []);
  const hasSource = new Array<boolean>(count).fill(false);
  for (const { from, to } of edges) {
    sinks[from]!.push(to);
    hasSource[to] = true;
  }
  for (let node = 0; node < count; node++) {
    for (const sink of sinks[node]!) {
      layers[sink] = Math.max(layers[sink]!, layers[node]! + 1);
    }
  }
  for (let node = 0; node < count; node++) {
    if (!hasSource[node] && !isEnd(node) && sinks[node]!.length > 0) {
      layers[node] = Math.min(...sinks[node]!.map((sink) => layers[sink]!)) - 1;
    }
  }
  return layers;
}

/** Adds a cell to every layer between the ends of an edge. */
function addWay(cells: Cell[], rows: number[][], from: number, to: number, layers: readonly number[]): number[] {
  const way: number[] = [];
  let last = from;
  for (let layer = layers[from]! + 1; layer < layers[to]!; layer++) {
    const cell = cells.push({ node: -1, extent: 0, before: [], behind: [] }) - 1;
    rows[layer]!.push(cell);
    connect(cells, last, cell);
    way.push(cell);
    last = cell;
  }
  connect(cells, last, to);
  return way;
}

function connect(cells: readonly Cell[], from: number, to: number): void {
  cells[from]!.behind.push(to);
  cells[to]!.before.push(from);
}

/** Sorts every layer by the mean place of its neighbours, forwards and backwards in turn; keeps the order with fewest crossings. */
function order(cells: readonly Cell[], rows: number[][]): void {
  const places = new Array<number>(cells.length).fill(0);
  const note = (): void => rows.forEach((row) => row.forEach((cell, k) => (places[cell] = k)));
  note();
  let best = rows.map((row) => [...row]);
  let fewest = crossings(cells, rows, places);
  for (let sweep = 0; sweep < ORDER_SWEEPS && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : [...rows].reverse()) {
      const mean = new Map(row.map((cell) => [cell, meanOf(isDown ? cells[cell]!.before : cells[cell]!.behind, places) ?? places[cell]!]));
      row.sort((a, b) => mean.get(a)! - mean.get(b)! || places[a]! - places[b]!);
      row.forEach((cell, k) => (places[cell] = k));
    }
    const count = crossings(cells, rows, places);
    if (count < fewest) {
      fewest = count;
      best = rows.map((row) => [...row]);
    }
  }
  best.forEach((row, k) => rows[k]!.splice(0, row.length, ...row));
}

function meanOf(cells: readonly number[], values: readonly number[]): number | null {
  return cells.length === 0 ? null : cells.reduce((sum, cell) => sum + values[cell]!, 0) / cells.length;
}

function crossings(cells: readonly Cell[], rows: readonly (readonly number[])[], places: readonly number[]): number {
  let count = 0;
  for (const row of rows) {
    const ends = row.flatMap((cell) => cells[cell]!.behind.map((other) => places[other]!).sort((a, b) => a - b));
    const sorted: number[] = [];
    for (const end of ends) {
      let at = sorted.length;
      while (at > 0 && sorted[at - 1]! > end) {
        at -= 1;
      }
      count += sorted.length - at;
      sorted.splice(at, 0, end);
    }
  }
  return count;
}

/** Each cell as near to the mean of its neighbours as the order and the gaps between cells allow. */
function acrossPositions(cells: readonly Cell[], rows: readonly (readonly number[])[]): number[] {
  const middles = new Array<number>(cells.length).fill(0);
  for (const row of rows) {
    settle(
      row,
      row.map(() => 0),
      cells,
      middles,
    );
  }
  for (let sweep = 0; sweep < PLACE_SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : [...rows].reverse()) {
      const wanted = row.map((cell) => {
        const { before, behind } = cells[cell]!;
        const near = sweep < PLACE_SWEEPS - 2 ? (isDown ? before : behind) : [...before, ...behind];
        return meanOf(near.length > 0 ? near : [...before, ...behind], middles) ?? middles[cell]!;
      });
      settle(row, wanted, cells, middles);
    }
  }
  return middles;
}

/** Moves the cells of a layer to where they are wanted; those that would overlap move together, as one block around their mean. */
function settle(row: readonly number[], wanted: readonly number[], cells: readonly Cell[], middles: number[]): void {
  const offsets: number[] = [];
  row.forEach((cell, k) => {
    const before = row[k - 1];
    offsets.push(
      before === undefined
        ? 0
        : offsets[k - 1]! + (cells[before]!.extent + cells[cell]!.extent) / 2 + gapBetween(cells[before]!, cells[cell]!),
    );
  });
  const blocks: { sum: number; count: number; start: number }[] = [];
  row.forEach((_, k) => {
    let block = { sum: wanted[k]! - offsets[k]!, count: 1, start: k };
    for (let last = blocks.at(-1); last !== undefined && last.sum / last.count >= block.sum / block.count; last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, count: last.count + block.count, start: last.start };
      blocks.pop();
    }
    blocks.push(block);
  });
  for (const [k, { sum, count, start }] of blocks.entries()) {
    for (let place = start; place < (blocks[k + 1]?.start ?? row.length); place++) {
      middles[row[place]!] = sum / count + offsets[place]!;
    }
  }
}

function gapBetween(upper: Cell, other: Cell): number {
  const nodes = Number(upper.node >= 0) + Number(other.node >= 0);
  return nodes === 2 ? NODE_GAP : nodes === 1 ? EDGE_GAP : WAY_GAP;
}

function layerPositions(rows: readonly (readonly number[])[], cells: readonly Cell[], along: (node: number) => number): number[] {
  const extents = rows.map((row) => row.reduce((most, cell) => (cells[cell]!.node < 0 ? most : Math.max(most, along(cell))), 0));
  const middles: number[] = [];
  extents.forEach((extent, k) => middles.push(k === 0 ? 0 : middles[k - 1]! + (extents[k - 1]! + extent) / 2 + LAYER_GAP));
  return middles;
}

function boundsOf(positions: readonly Point[], sizes: readonly Size[], ways: readonly Point[]): Bounds {
  const { x: left, y: top } = positions[0] ?? { x: 0, y: 0 };
  const bounds = { left, right: left + 1, top, bottom: top + 1 };
  const include = ({ x, y }: Point, { width, height }: Size): void => {
    bounds.left = Math.min(bounds.left, x - width / 2);
    bounds.right = Math.max(bounds.right, x + width / 2);
    bounds.top = Math.min(bounds.top, y - height / 2);
    bounds.bottom = Math.max(bounds.bottom, y + height / 2);
  };
  positions.forEach((position, k) => include(position, sizes[k]!));
  ways.forEach((point) => include(point, NO_SIZE));
  return bounds;
}

const NO_SIZE: Size = { width: 0, height: 0 };
