/** The graph on the screen: Cytoscape draws nodes, labels and edges and handles the pointer; the rest is painted over it. */

import cytoscape from "cytoscape";
import type { TensorType } from "../../data/types";
import type { NodeColor } from "./coloring";
import { paint, type Emphasis, type Look, type Palette } from "./decorations";
import { LABEL_SIZE, readableLabels } from "./labels";
import { BADGE_WIDTH, NODE_HEIGHT, ROW_HEIGHT, type PlacedHeading, type PlacedNode, type Placement } from "./placement";
import type { Neighbour, Neighbours } from "./relations";
import { edgeCurve } from "./routes";
import { keepFromAddingStyles, styleSheet } from "./style";
import type { Trace, TracedEdge } from "./trace";

/** The node under the pointer, and where to describe it. */
export interface Hover {
  node: number;
  x: number;
  y: number;
}

export interface GraphCallbacks {
  onSelect(node: number): void;
  onHover(hover: Hover | null): void;
  /** A collapsed group is to be opened. */
  onExpand(group: number): void;
}

/** The part of the graph that is in view, in its own lengths. */
export interface VisiblePart {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Whether all that is drawn is in view. */
  hasAll: boolean;
}

/** A node as it is drawn. */
export interface DrawnNode extends PlacedNode {
  look: Look;
  unrecorded: boolean;
  blank: boolean;
  /** Its colour and that of its label, where nodes are coloured by numbers. */
  fill: string | null;
  ink: string;
}

/** An edge as it is drawn, between the ids of two nodes; its curve as `edgeCurve` gives it. */
export interface DrawnEdge {
  source: string;
  target: string;
  type: TensorType | undefined;
  distances: readonly number[];
  weights: readonly number[];
  classes: readonly string[];
}

export interface GraphDrawing {
  nodes: readonly DrawnNode[];
  edges: readonly DrawnEdge[];
  headings: readonly PlacedHeading[];
}

const FIT_PADDING = 28;
const LARGEST_FIT = 1.2;
/** When a graph would be smaller than this, the surroundings of the selected node are shown instead, unless most names can be read. */
const SMALLEST_FIT = 0.6;
const MOST_NAMES = 0.75;
const READABLE = 0.85;
const EDGE_MARGIN = 24;

export class GraphCanvas {
  private readonly cy: cytoscape.Core;
  private readonly overlay: HTMLCanvasElement;
  private readonly resizing: ResizeObserver;
  private placement: Placement = { nodes: [], headings: [], columns: [] };
  private byNode = new Map<number, PlacedNode>();
  private emphasis = new Map<number, Emphasis>();
  private selected = -1;
  private colors: readonly (NodeColor | undefined)[] | null = null;
  private trace: Trace | null = null;
  private marks: ReadonlyMap<number, string> = new Map();
  /** Whether the person has moved the view; until then it follows the graph and the size of the window. */
  private moved = false;
  /** Whether something has changed since the overlay was painted. */
  private isOutdated = false;

  constructor(
    container: HTMLElement,
    callbacks: GraphCallbacks,
    private palette: Palette,
  ) {
    keepFromAddingStyles();
    this.cy = cytoscape({
      container,
      layout: { name: "preset" },
      minZoom: 0.05,
      maxZoom: 4,
      autoungrabify: true,
      autounselectify: true,
      boxSelectionEnabled: false,
      style: styleSheet(palette),
    });
    this.overlay = document.createElement("canvas");
    this.overlay.className = "graph-overlay";
    container.append(this.overlay);
    this.listen(callbacks);
    this.resizing = new ResizeObserver(() => this.fitUnlessMoved());
    this.resizing.observe(container);
  }

  destroy(): void {
    this.isOutdated = false;
    this.resizing.disconnect();
    this.cy.destroy();
    this.overlay.remove();
  }

  setPalette(palette: Palette): void {
    this.palette = palette;
    this.cy.style(styleSheet(palette));
    this.paint();
  }

  /** Replaces the graph, keeping the zoom if the person has chosen one. */
  setPlacement(placement: Placement, selected: number): void {
    const anchor = this.byNode.get(this.selected);
    const screen = anchor && this.toScreen(anchor);
    this.placement = placement;
    this.byNode = new Map(placement.nodes.map((node) => [node.node, node]));
    this.selected = selected;
    this.emphasis = new Map();
    this.cy.batch(() => {
      this.cy.elements().remove();
      this.cy.add(placement.nodes.map((node) => nodeElement(node)));
    });
    const now = this.byNode.get(selected);
    if (!this.moved) {
      this.fitUnlessMoved();
    } else if (screen !== undefined && now !== undefined) {
      const zoom = this.cy.zoom();
      this.cy.pan({ x: screen.x - now.x * zoom, y: screen.y - now.y * zoom });
    }
  }

  /** Marks the selected node and its neighbours, and draws their connections. */
  setSelection(selected: number, neighbours: Neighbours): void {
    this.selected = selected;
    this.emphasis = new Map([...neighbours.dependencies, ...neighbours.dependents].map(({ node }) => [node, "neighbour" as const]));
    this.emphasis.set(selected, "selected");
    const edges = [
      ...neighbours.dependencies.map((neighbour, k) => this.edge(neighbour.node, selected, neighbour, k)),
      ...neighbours.dependents.map((neighbour, k) => this.edge(selected, neighbour.node, neighbour, k)),
    ];
    this.cy.batch(() => {
      this.cy.edges().remove();
      this.cy.add(edges.filter((edge) => edge !== null));
    });
    this.reveal();
    this.paint();
  }

  /** Draws the connections of a trace, and dims the nodes that are not on it; null shows all nodes alike. */
  setTrace(trace: Trace | null, edges: readonly TracedEdge[]): void {
    this.trace = trace;
    this.cy.batch(() => {
      this.cy.edges(".traced").remove();
      const own = new Set(this.cy.edges().map((edge) => edge.id()));
      const added = edges.map(({ from, to, carriesGradient }, k) => this.edge(from, to, { node: from, own: true, carriesGradient }, k, ["traced"]));
      this.cy.add(added.filter((edge) => edge !== null && !own.has(edge.data.id ?? "")) as cytoscape.ElementDefinition[]);
      for (const { node, id } of this.placement.nodes) {
        this.cy.getElementById(id).toggleClass("dimmed", this.isDimmed(node));
      }
    });
    this.paint();
  }

  /** Colours nodes by their numbers, or by their types where `colors` is null. */
  setColors(colors: readonly (NodeColor | undefined)[] | null): void {
    this.colors = colors;
    this.cy.batch(() => {
      for (const { node, id } of this.placement.nodes) {
        const color = colors?.[node];
        const element = this.cy.getElementById(id);
        element.toggleClass("blank", colors !== null && (color?.fill ?? null) === null);
        element.toggleClass("colored", (color?.fill ?? null) !== null);
        element.data({ fill: color?.fill ?? "", ink: color?.ink ?? "" });
      }
    });
    this.paint();
  }

  /** Puts a short text on the upper left corner of nodes. */
  setMarks(marks: ReadonlyMap<number, string>): void {
    this.marks = marks;
    this.paint();
  }

  /** Shows nodes without numbers of the chosen recording type paler. */
  setRecorded(isRecorded: (node: number) => boolean): void {
    this.cy.batch(() => {
      for (const { node, id } of this.placement.nodes) {
        this.cy.getElementById(id).toggleClass("unrecorded", !isRecorded(node));
      }
    });
  }

  /** Zooms towards the selected node, or the middle where that is not in view. */
  zoomBy(factor: number): void {
    this.moved = true;
    const selected = this.byNode.get(this.selected);
    const middle = { x: this.cy.width() / 2, y: this.cy.height() / 2 };
    const target = selected === undefined ? middle : this.toScreen(selected);
    const isInView = target.x >= 0 && target.x <= this.cy.width() && target.y >= 0 && target.y <= this.cy.height();
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: isInView ? target : middle });
  }

  /** The whole graph. */
  fit(): void {
    this.moved = true;
    const { nodes, columns } = this.placement;
    const [left, right] = [columns[0]?.left ?? 0, columns[columns.length - 1]?.right ?? 0];
    const bottom = nodes.reduce((lowest, { y }) => Math.max(lowest, y), 0) + NODE_HEIGHT / 2;
    // Not the library's own way, which measures every label. Columns are centred at a height of 0.
    const room = { x: this.cy.width() - 2 * FIT_PADDING, y: this.cy.height() - 2 * FIT_PADDING };
    const zoom = Math.min(LARGEST_FIT, room.x / Math.max(1, right - left), room.y / (2 * bottom));
    this.cy.zoom(Math.max(this.cy.minZoom(), zoom));
    this.centerAt((left + right) / 2, 0);
  }

  panBy(x: number, y: number): void {
    this.moved = true;
    this.cy.panBy({ x, y });
  }

  /** Moves the view to a place in the graph. */
  centerAt(x: number, y: number): void {
    this.moved = true;
    const zoom = this.cy.zoom();
    this.cy.pan({ x: this.cy.width() / 2 - x * zoom, y: this.cy.height() / 2 - y * zoom });
  }

  /** Moves the view to a node or group, if it is drawn. */
  centerOn(node: number): void {
    const placed = this.byNode.get(node);
    if (placed !== undefined) {
      this.centerAt(placed.x, placed.y);
    }
  }

  /** Null where the view has no size. */
  visiblePart(): VisiblePart | null {
    const [pan, zoom, width, height] = [this.cy.pan(), this.cy.zoom(), this.cy.width(), this.cy.height()];
    if (width === 0 || height === 0) {
      return null;
    }
    const [left, right, top, bottom] = [-pan.x / zoom, (width - pan.x) / zoom, -pan.y / zoom, (height - pan.y) / zoom];
    const isInView = ({ x, y, width: own }: PlacedNode): boolean =>
      x - own / 2 >= left && x + own / 2 <= right && y - NODE_HEIGHT / 2 >= top && y + NODE_HEIGHT / 2 <= bottom;
    return { left, right, top, bottom, hasAll: this.placement.nodes.every(isInView) };
  }

  /** Calls a listener whenever something else may be in view; returns what ends that. */
  onView(listener: () => void): () => void {
    this.cy.on("render", listener);
    return () => this.cy.off("render", listener);
  }

  private isDimmed(node: number): boolean {
    return this.trace !== null && this.trace.sides[node] === 0;
  }

  private listen(callbacks: GraphCallbacks): void {
    this.cy.on("render", () => this.paintNow());
    this.cy.on("scrollzoom pinchzoom dragpan", () => (this.moved = true));
    this.cy.on("tap", "node", (event) => {
      const placed = this.byNode.get(event.target.data("node") as number);
      if (placed !== undefined && placed.group !== null && event.position.x < placed.x - placed.width / 2 + BADGE_WIDTH) {
        callbacks.onExpand(placed.node);
      } else if (placed !== undefined) {
        callbacks.onSelect(placed.node);
      }
    });
    this.cy.on("dbltap", "node", (event) => {
      const placed = this.byNode.get(event.target.data("node") as number);
      if (placed !== undefined && placed.group !== null) {
        callbacks.onExpand(placed.node);
      }
    });
    this.cy.on("mouseover", "node", (event) => {
      const placed = this.byNode.get(event.target.data("node") as number);
      if (placed !== undefined) {
        const { x, y } = this.toScreen(placed);
        callbacks.onHover({ node: placed.node, x, y: y + (NODE_HEIGHT / 2) * this.cy.zoom() });
      }
    });
    this.cy.on("mouseout", "node", () => callbacks.onHover(null));
    this.cy.on("viewport", () => callbacks.onHover(null));
  }

  private fitUnlessMoved(): void {
    this.cy.resize();
    if (this.moved || this.cy.width() === 0 || this.placement.nodes.length === 0) {
      this.paint();
      return;
    }
    this.fit();
    this.moved = false;
    const selected = this.byNode.get(this.selected);
    if (this.cy.zoom() < SMALLEST_FIT && selected !== undefined && !this.namesAreReadable()) {
      this.cy.zoom(READABLE);
      this.cy.center(this.cy.getElementById(selected.id));
      this.alignSideways(selected);
    }
    this.paint();
  }

  /** Whether there is room for the names of most nodes where the view is now. */
  private namesAreReadable(): boolean {
    const { nodes } = this.placement;
    const [zoom, pan] = [this.cy.zoom(), this.cy.pan()];
    if (ROW_HEIGHT * zoom < LABEL_SIZE) {
      return false;
    }
    const names = readableLabels(this.placement, () => "none", () => false, { pan, zoom, width: this.cy.width(), height: this.cy.height() });
    return names.filter(({ isHeading }) => !isHeading).length >= MOST_NAMES * nodes.length;
  }

  /** Shows no empty space beside the graph where there is more of it, and centres it where it is narrower than the view. */
  private alignSideways(selected: PlacedNode): void {
    const zoom = this.cy.zoom();
    const { columns } = this.placement;
    const [first, last] = [columns[0]?.left ?? 0, columns[columns.length - 1]?.right ?? 0];
    const left = this.cy.width() / 2 - (selected.x - first) * zoom;
    const right = left + (last - first) * zoom;
    const room = this.cy.width() - FIT_PADDING;
    if (right - left < room - FIT_PADDING) {
      this.cy.panBy({ x: (this.cy.width() - left - right) / 2, y: 0 });
    } else {
      this.cy.panBy({ x: Math.min(0, FIT_PADDING - left) + Math.max(0, room - right), y: 0 });
    }
  }

  /** Moves the view as little as needed for the selected node to be in it. */
  private reveal(): void {
    const placed = this.byNode.get(this.selected);
    if (placed === undefined || this.cy.width() === 0) {
      return;
    }
    const { x, y } = this.toScreen(placed);
    const zoom = this.cy.zoom();
    const reachX = Math.min((placed.width / 2) * zoom + EDGE_MARGIN, this.cy.width() / 2);
    const reachY = Math.min((NODE_HEIGHT / 2) * zoom + EDGE_MARGIN, this.cy.height() / 2);
    const within = (value: number, reach: number, size: number): number => Math.max(reach, Math.min(size - reach, value));
    const by = { x: within(x, reachX, this.cy.width()) - x, y: within(y, reachY, this.cy.height()) - y };
    if (by.x !== 0 || by.y !== 0) {
      this.cy.panBy(by);
    }
  }

  private toScreen(node: PlacedNode): { x: number; y: number } {
    const [pan, zoom] = [this.cy.pan(), this.cy.zoom()];
    return { x: node.x * zoom + pan.x, y: node.y * zoom + pan.y };
  }

  /** An edge to or from a neighbour; `number` tells edges apart that have the same way. */
  private edge(from: number, to: number, neighbour: Neighbour, number: number, kinds: readonly string[] = []): cytoscape.ElementDefinition | null {
    const [source, target] = [this.byNode.get(from), this.byNode.get(to)];
    if (source === undefined || target === undefined) {
      return null;
    }
    const { distances, weights } = edgeCurve(source, target, this.placement.columns, number);
    const type = this.byNode.get(neighbour.node)?.type;
    const classes = [...kinds, ...(neighbour.own ? [] : ["thin"]), ...(neighbour.carriesGradient ? [] : ["without-gradient"])];
    return { group: "edges", data: { id: `e${from}-${to}`, source: source.id, target: target.id, type, distances, weights }, classes };
  }

  /** Everything that is drawn, in view or not, as plain data. */
  drawing(): GraphDrawing {
    const nodes = this.placement.nodes.map((placed): DrawnNode => {
      const element = this.cy.getElementById(placed.id);
      const color = this.colors?.[placed.node];
      return { ...placed, look: this.lookOf(placed.node), unrecorded: element.hasClass("unrecorded"), fill: color?.fill ?? null, ink: color?.ink ?? "", blank: element.hasClass("blank") };
    });
    const edges = this.cy.edges().map((edge): DrawnEdge => {
      const { source, target, type, distances, weights } = edge.data() as Omit<DrawnEdge, "classes">;
      return { source, target, type, distances, weights, classes: edge.classes() as unknown as string[] };
    });
    return { nodes, edges, headings: this.placement.headings };
  }

  /** Before the next frame is shown, however often it is asked for; the library draws only then, too. */
  private paint(): void {
    if (!this.isOutdated) {
      this.isOutdated = true;
      requestAnimationFrame(() => this.isOutdated && this.paintNow());
    }
  }

  private paintNow(): void {
    this.isOutdated = false;
    paint(this.overlay, this.placement, (node) => this.lookOf(node), { pan: this.cy.pan(), zoom: this.cy.zoom() }, this.palette);
  }

  private lookOf(node: number): Look {
    return {
      emphasis: this.emphasis.get(node) ?? "none",
      dimmed: this.isDimmed(node),
      hatched: this.colors !== null && this.colors[node] === undefined,
      sign: this.colors?.[node]?.sign ?? "",
      mark: this.marks.get(node) ?? "",
    };
  }
}

function nodeElement(node: PlacedNode): cytoscape.ElementDefinition {
  return {
    group: "nodes",
    data: { id: node.id, node: node.node, label: node.label, type: node.type, width: node.width },
    position: { x: node.x, y: node.y },
  };
}
