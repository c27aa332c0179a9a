/** Places elements and flows as a Sankey diagram: a column per layer, in their order; what is left out is one node in each. */

import { type SankeyGraph, sankey } from "d3-sankey";
import type { Flow } from "../../../data/records/flows";
import type { Bundled, Followed } from "../follow";

/** Elements that are drawn, what is left out of a layer, and the residual of its gradient. */
type NodeKind = "element" | "residual" | "others";

export interface SankeyNode {
  kind: NodeKind;
  layer: number;
  /** -1 where it is none. */
  element: number;
  isSelected: boolean;
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

export interface Ribbon {
  kind: "flow" | "residual" | "others";
  pair: number;
  /** Positions of nodes. */
  source: number;
  target: number;
  /** The flow, or the sum of the flows of this sign. */
  flow: number;
  /** What a ribbon of left-out flows stands for; null for other ribbons. */
  bundled: Bundled | null;
  width: number;
  /** The heights of the middles of its ends. */
  y0: number;
  y1: number;
}

export interface Sankey {
  width: number;
  height: number;
  /** Positions of layers, from left to right. */
  columns: readonly number[];
  nodes: readonly SankeyNode[];
  ribbons: readonly Ribbon[];
  /** Whether what is left out, or a residual, is drawn smaller than it is. */
  isReduced: boolean;
}

/** Said where some of it is not as large as it would be. */
export const REDUCED =
  "Some bands of other flows, or of residuals, are drawn thinner than their sums, because they would hide the flows. Their labels give the sums.";

export const NODE_WIDTH = 10;
export const HEADING = 22;

const NODE_PADDING = 10;
const LEAST_HEIGHT = 230;
const HEIGHT_PER_NODE = 16;
/** From one column to the next. */
const LEAST_DISTANCE = 115;
/** Room for labels beside the last column. */
const MARGIN = 8;

/** What is left out of a pair is drawn as this part of what is drawn at most: else it would hide that. */
const LARGEST_REST = 0.3;

/** Residuals of a pair are drawn as large as what is drawn of its flows at most: those of a loss of counts would leave these no width. */
const LARGEST_RESIDUALS = 1;

/** A residual is drawn where it is at least this part of the largest flow that is drawn: less is rounding. */
const LEAST_RESIDUAL = 1e-3;

interface NodeSeed {
  kind: NodeKind;
  layer: number;
  element: number;
  isSelected: boolean;
}

interface LinkSeed {
  ribbon: Pick<Ribbon, "kind" | "pair" | "flow" | "bundled"> | null;
  source: number;
  target: number;
  value: number;
}

/** Lays out what has been followed. `selected` are elements of the layer with this position. */
export function layOut(
  flow: Flow,
  followed: Followed,
  selected: { layer: number; elements: ReadonlySet<number> } | null,
  room: number,
): Sankey {
  const columns = [...new Set(flow.pairs.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const graph = new Seeds(flow, columns, selected);
  graph.addLinks(followed);
  const isReduced = [graph.addResiduals(followed), graph.addRest(followed)].includes(true);
  const most = Math.max(...columns.map((layer) => graph.nodes.filter((node) => node.layer === layer).length), 1);
  const height = Math.max(LEAST_HEIGHT, HEADING + most * HEIGHT_PER_NODE);
  const width = Math.max(room, (columns.length - 1) * LEAST_DISTANCE);
  return { width, height, columns, isReduced, ...placed(graph, columns, width, height) };
}

class Seeds {
  readonly nodes: NodeSeed[] = [];
  readonly links: LinkSeed[] = [];
  private readonly known = new Map<string, number>();

  constructor(
    private readonly flow: Flow,
    columns: readonly number[],
    private readonly selected: { layer: number; elements: ReadonlySet<number> } | null,
  ) {
    // Every column has a node for the rest, and links of no width keep the columns apart.
    const rests = columns.map((layer) => this.node("others", layer));
    rests.slice(1).forEach((target, k) => this.links.push({ ribbon: null, source: rests[k]!, target, value: 0 }));
  }

  addLinks({ links }: Followed): void {
    for (const { pair, source, target, flow } of links) {
      const { from, to } = this.flow.pairs[pair]!;
      this.link(
        { kind: "flow", pair, flow, bundled: null },
        this.node("element", from, source),
        this.node("element", to, target),
        Math.abs(flow),
      );
    }
  }

  /** Adds residuals, and says whether some are drawn smaller than they are. */
  addResiduals({ links, residuals }: Followed): boolean {
    const least = LEAST_RESIDUAL * Math.max(0, ...links.map((link) => Math.abs(link.flow)));
    const sums = new Map<string, { pair: number; node: number; sum: number }>();
    for (const { pair, source, residual } of residuals) {
      const node = this.nodeAt(pair, "source", source);
      const key = `${pair}/${node}/${residual > 0}`;
      const sum = sums.get(key) ?? { pair, node, sum: 0 };
      sums.set(key, { ...sum, sum: sum.sum + (Number.isFinite(residual) ? residual : 0) });
    }
    const shown = [...sums.values()].filter(({ sum }) => Math.abs(sum) > 0 && Math.abs(sum) >= least);
    const scales = this.flow.pairs.map((_, pair) => {
      const all = shown.reduce((total, each) => total + (each.pair === pair ? Math.abs(each.sum) : 0), 0);
      return scaleWithin(all, LARGEST_RESIDUALS * drawnOf(links, pair));
    });
    for (const { pair, node, sum } of shown) {
      const target = this.node("residual", this.flow.pairs[pair]!.to);
      this.link({ kind: "residual", pair, flow: sum, bundled: null }, node, target, Math.abs(sum) * scales[pair]!);
    }
    return scales.some((scale) => scale < 1);
  }

  /** Adds what is left out, and says whether some of it is drawn smaller than it is. */
  addRest({ links, leftOut }: Followed): boolean {
    let isReduced = false;
    this.flow.pairs.forEach(({ from, to }, pair) => {
      const rests = leftOut.filter((rest) => rest.pair === pair && rest.count > 0);
      const all = rests.reduce((sum, rest) => sum + rest.positive - rest.negative, 0);
      const scale = scaleWithin(all, LARGEST_REST * drawnOf(links, pair));
      isReduced ||= scale < 1;
      for (const rest of rests) {
        const source = rest.side === "source" ? this.nodeAt(pair, "source", rest.element) : this.node("others", from);
        const target = rest.side === "target" ? this.nodeAt(pair, "target", rest.element) : this.node("others", to);
        for (const flow of [rest.positive, rest.negative]) {
          if (flow !== 0) {
            this.link({ kind: "others", pair, flow, bundled: rest }, source, target, Math.abs(flow) * scale);
          }
        }
      }
    });
    return isReduced;
  }

  private link(ribbon: NonNullable<LinkSeed["ribbon"]>, source: number, target: number, value: number): void {
    this.links.push({ ribbon, source, target, value });
  }

  /** The node of an element, or where it has none, that of the rest of its layer. */
  private nodeAt(pair: number, side: "source" | "target", element: number | null): number {
    const { from, to } = this.flow.pairs[pair]!;
    const layer = side === "source" ? from : to;
    return this.known.get(`element/${layer}/${element}`) ?? this.node("others", layer);
  }

  private node(kind: NodeKind, layer: number, element = -1): number {
    const key = `${kind}/${layer}/${element}`;
    const known = this.known.get(key);
    if (known !== undefined) {
      return known;
    }
    this.known.set(key, this.nodes.length);
    const isSelected = kind === "element" && this.selected !== null && this.selected.layer === layer && this.selected.elements.has(element);
    return this.nodes.push({ kind, layer, element, isSelected }) - 1;
  }
}

/** The sum of the flows of a pair that are drawn one by one. */
function drawnOf(links: Followed["links"], pair: number): number {
  return links.reduce((sum, link) => sum + (link.pair === pair ? Math.abs(link.flow) : 0), 0);
}

/** What makes a sum as small as the most that there may be of it; where nothing is drawn beside it, it may be as large as it is. */
function scaleWithin(sum: number, most: number): number {
  return most > 0 && sum > most ? most / sum : 1;
}

const ORDER: readonly NodeKind[] = ["element", "residual", "others"];

function placed({ nodes, links }: Seeds, columns: readonly number[], width: number, height: number): Pick<Sankey, "nodes" | "ribbons"> {
  const layOutGraph = sankey<SankeyGraph<NodeSeed, Omit<LinkSeed, "source" | "target">>, NodeSeed, Omit<LinkSeed, "source" | "target">>()
    .nodeAlign((node) => columns.indexOf(node.layer))
    // By their places, so that an element is looked for where it was.
    .nodeSort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.element - b.element)
    .nodeWidth(NODE_WIDTH)
    .nodePadding(NODE_PADDING)
    .extent([
      [MARGIN, HEADING],
      [Math.max(MARGIN + NODE_WIDTH + 1, width - MARGIN), height - MARGIN],
    ]);
  const graph = layOutGraph({ nodes: nodes.map((node) => ({ ...node })), links: links.map((link) => ({ ...link })) });
  const indexOf = (node: unknown): number => (node as { index: number }).index;
  return {
    // The library writes columns of its own into the layers of its nodes.
    nodes: graph.nodes.map(({ x0, x1, y0, y1 }, k) => ({ ...nodes[k]!, x0: x0!, x1: x1!, y0: y0!, y1: y1! })),
    ribbons: graph.links.flatMap(({ ribbon, source, target, width: thick, y0, y1 }) =>
      ribbon === null ? [] : [{ ...ribbon, source: indexOf(source), target: indexOf(target), width: thick ?? 0, y0: y0!, y1: y1! }],
    ),
  };
}
