/** The graph on the screen: Cytoscape draws nodes, labels and edges and handles the pointer; the rest is painted over it. */

import type cytoscape from "cytoscape";
import { listenForClicks } from "../../../../kits/graph/clicks";
import { type EdgeSign, type Look, paint } from "../../../../kits/graph/decorations";
import type { Emphasis } from "../../../../kits/graph/labels";
import { areLabelsReadable } from "../../../../kits/graph/labels";
import type { Palette } from "../../../../kits/graph/palette";
import { type PlacedHeading, type PlacedNode, type Placement, WIDE } from "../../../../kits/graph/placement";
import type { Point } from "../../../../kits/graph/routes";
import { createDrawing, DIFFERENCE_CLASSES, styleSheet, UNLABELLED } from "../../../../kits/graph/style";
import { Viewport } from "../../../../kits/graph/viewport";
import type { Badge } from "../../../../state/badges/badges";
import type { NodeColor } from "../coloring/coloring";
import type { Neighbours } from "../layout/relations";
import type { Trace } from "../layout/trace";
import type { DrawnEdge } from "./drawn_edges";

/** The node under the pointer, and where to describe it. */
export interface Hover {
  node: number;
  x: number;
  y: number;
}

interface GraphCallbacks {
  onSelect(node: number): void;
  onHover(hover: Hover | null): void;
  /** A collapsed group is to be opened. */
  onExpand(group: number): void;
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

export interface GraphDrawing {
  nodes: readonly DrawnNode[];
  edges: readonly DrawnEdge[];
  /** The ways of all connections. */
  faint: readonly (readonly Point[])[];
  headings: readonly PlacedHeading[];
}

const SIDES = ["A", "B"] as const;

export class GraphCanvas {
  readonly view: Viewport;
  private readonly cy: cytoscape.Core;
  private readonly overlay: HTMLCanvasElement;
  private readonly resizing: ResizeObserver;
  private placement: Placement = { measures: WIDE, nodes: [], headings: [], columns: [] };
  private byNode = new Map<number, PlacedNode>();
  private edges: ReadonlyMap<string, DrawnEdge> = new Map();
  private faint: readonly (readonly Point[])[] = [];
  private emphasis = new Map<number, Emphasis>();
  private colors: readonly (NodeColor | undefined)[] | null = null;
  private trace: Trace | null = null;
  private marks: ReadonlyMap<number, string> = new Map();
  private badges: ReadonlyMap<number, readonly Badge[]> = new Map();
  /** Whether labels are those of the library, rather than painted over it. */
  private hasLabels = true;
  /** Whether something has changed since the overlay was painted. */
  private isOutdated = false;

  constructor(
    container: HTMLElement,
    callbacks: GraphCallbacks,
    private palette: Palette,
  ) {
    this.cy = createDrawing(container, styleSheet(palette));
    this.view = new Viewport(this.cy);
    this.overlay = document.createElement("canvas");
    this.overlay.className = "graph-overlay";
    container.append(this.overlay);
    this.listen(callbacks);
    this.resizing = new ResizeObserver(() => {
      this.view.fitUnlessMoved();
      this.paint();
    });
    this.resizing.observe(container);
  }

  destroy(): void {
    this.isOutdated = false;
    this.resizing.disconnect();
    this.cy.destroy();
    this.overlay.remove();
  }

  /** Only if it is another one: the library takes long for a style sheet. */
  setPalette(palette: Palette): void {
    if (this.palette !== palette) {
      this.palette = palette;
      this.cy.style(styleSheet(palette));
      this.paint();
    }
  }

  /** Replaces the graph, keeping the zoom if the person has chosen one. */
  setPlacement(placement: Placement, selected: number): void {
    this.placement = placement;
    this.byNode = new Map(placement.nodes.map((node) => [node.node, node]));
    this.emphasis = new Map();
    this.edges = new Map();
    this.faint = [];
    this.cy.batch(() => {
      this.cy.elements().remove();
      this.cy.add(placement.nodes.map((node) => nodeElement(node, this.hasLabels)));
    });
    this.view.setPlacement(placement, this.byNode.get(selected));
    this.paint();
  }

  /** Marks the selected node and its neighbours. */
  setSelection(selected: number, neighbours: Neighbours): void {
    const before = this.emphasis;
    this.emphasis = new Map([...neighbours.dependencies, ...neighbours.dependents].map(({ node }) => [node, "neighbour" as const]));
    this.emphasis.set(selected, "selected");
    this.view.setSelected(this.byNode.get(selected));
    if (!areEqual(before, this.emphasis)) {
      this.paint();
    }
  }

  /**
   * Draws these edges, and no others. An edge that is drawn already stays: the library takes long for every new one. It draws the whole
   * graph again even if it is given none.
   */
  setEdges(edges: ReadonlyMap<string, DrawnEdge>): void {
    const before = this.edges;
    this.edges = edges;
    if (areEqual(before, edges)) {
      return;
    }
    const stays = (id: string): boolean => JSON.stringify(before.get(id)) === JSON.stringify(edges.get(id));
    this.cy.batch(() => {
      this.cy
        .edges()
        .filter((edge) => !stays(edge.id()))
        .remove();
      this.cy.add([...edges].filter(([id]) => !stays(id)).map(([id, edge]) => edgeElement(id, edge)));
    });
  }

  /** Draws these ways faintly: all connections, from point to point. */
  setFaintEdges(ways: readonly (readonly Point[])[]): void {
    this.faint = ways;
    this.paint();
  }

  /** Dims the nodes that are not on a trace; null shows all nodes alike. */
  setTrace(trace: Trace | null): void {
    const before = this.trace;
    this.trace = trace;
    this.setClass("dimmed", (node) => this.isDimmed(node));
    if (trace !== before) {
      this.paint();
    }
  }

  /** Colours nodes by their numbers, or by their types where `colors` is null. */
  setColors(colors: readonly (NodeColor | undefined)[] | null): void {
    const before = this.colors;
    this.colors = colors;
    const fillOf = (node: number): string | null => colors?.[node]?.fill ?? null;
    this.setClass("blank", (node) => colors !== null && fillOf(node) === null);
    this.setClass("colored", (node) => fillOf(node) !== null);
    const dataOf = (node: number) => ({ fill: fillOf(node) ?? "", ink: colors?.[node]?.ink ?? "" });
    const changed = this.placement.nodes
      .map(({ node, id }) => ({ element: this.cy.getElementById(id), data: dataOf(node) }))
      .filter(({ element, data }) => element.data("fill") !== data.fill || element.data("ink") !== data.ink);
    this.batch(changed, ({ element, data }) => element.data(data));
    if (colors !== before) {
      this.paint();
    }
  }

  /** Puts a short text on the upper left corner of nodes. */
  setMarks(marks: ReadonlyMap<number, string>): void {
    const before = this.marks;
    this.marks = marks;
    if (!areEqual(before, marks)) {
      this.paint();
    }
  }

  /** Puts badges on the nodes that something is wrong with. */
  setBadges(badges: ReadonlyMap<number, readonly Badge[]>): void {
    const before = this.badges;
    this.badges = badges;
    if (!areEqual(before, badges)) {
      this.paint();
    }
  }

  /** Shows nodes without numbers of the chosen recording type paler. */
  setRecorded(isRecorded: (node: number) => boolean): void {
    this.setClass("unrecorded", (node) => !isRecorded(node));
  }

  /** The library's own limit is rounded to powers of two, and so it would draw labels under those that are painted over it. */
  private setLabels(): void {
    const hasLabels = areLabelsReadable(this.cy.zoom());
    if (this.hasLabels !== hasLabels) {
      this.hasLabels = hasLabels;
      this.setClass(UNLABELLED, () => !hasLabels);
    }
  }

  /** Only where it changes: the library works out the whole style of a node for every class that it is given, even if it has it already. */
  private setClass(name: string, belongs: (node: number) => boolean): void {
    const changed = this.placement.nodes
      .filter(({ node, id }) => this.cy.getElementById(id).hasClass(name) !== belongs(node))
      .map(({ id }) => this.cy.getElementById(id));
    this.batch(changed, (element) => element.toggleClass(name));
  }

  /** Changes elements at once, if there are any: the library draws the whole graph again after every batch. */
  private batch<T>(changed: readonly T[], change: (element: T) => void): void {
    if (changed.length > 0) {
      this.cy.batch(() => changed.forEach(change));
    }
  }

  /** Moves the view to a node or group, if it is drawn. */
  centerOn(node: number): void {
    const placed = this.byNode.get(node);
    if (placed !== undefined) {
      this.view.centerAt(placed.x, placed.y);
    }
  }

  private isDimmed(node: number): boolean {
    return this.trace !== null && this.trace.sides[node] === 0;
  }

  private listen(callbacks: GraphCallbacks): void {
    this.cy.on("render", () => this.paintNow());
    this.cy.on("zoom", () => this.setLabels());
    const isControl = ({ group, x, width, badgeWidth }: PlacedNode, at: { x: number }): boolean =>
      group !== null && at.x < x - width / 2 + badgeWidth;
    let isExpanded = false;
    listenForClicks(
      this.cy,
      (node) => this.byNode.get(node.data("node") as number),
      (placed, at) => {
        isExpanded = isControl(placed, at);
        (isExpanded ? callbacks.onExpand : callbacks.onSelect)(placed.node);
      },
      ({ node, group }) => {
        if (group !== null && !isExpanded) {
          callbacks.onExpand(node);
        }
      },
    );
    this.cy.on("mouseover", "node", (event) => {
      const placed = this.byNode.get(event.target.data("node") as number);
      if (placed !== undefined) {
        const { x, y } = this.view.toScreen(placed);
        callbacks.onHover({ node: placed.node, x, y: y + (placed.height / 2) * this.cy.zoom() });
      }
    });
    this.cy.on("mouseout", "node", () => callbacks.onHover(null));
    this.cy.on("viewport", () => callbacks.onHover(null));
  }

  /** Everything that is drawn, in view or not, as plain data. */
  drawing(): GraphDrawing {
    const nodes = this.placement.nodes.map((placed): DrawnNode => {
      const element = this.cy.getElementById(placed.id);
      const color = this.colors?.[placed.node];
      return {
        ...placed,
        look: this.lookOf(placed.node),
        unrecorded: element.hasClass("unrecorded"),
        fill: color?.fill ?? null,
        ink: color?.ink ?? "",
        blank: element.hasClass("blank"),
      };
    });
    return { nodes, edges: [...this.edges.values()], faint: this.faint, headings: this.placement.headings };
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
    paint(
      this.overlay,
      this.placement,
      (node) => this.lookOf(node),
      this.edgeSigns(),
      { pan: this.cy.pan(), zoom: this.cy.zoom() },
      this.palette,
      this.faint,
    );
  }

  private edgeSigns(): EdgeSign[] {
    return SIDES.flatMap((side) => this.cy.edges(`.${DIFFERENCE_CLASSES[side]}`).map((edge) => ({ ...edge.midpoint(), text: side })));
  }

  private lookOf(node: number): Look {
    return {
      emphasis: this.emphasis.get(node) ?? "none",
      dimmed: this.isDimmed(node),
      hatched: this.colors !== null && this.colors[node] === undefined,
      sign: this.colors?.[node]?.sign ?? "",
      mark: this.marks.get(node) ?? "",
      badges: this.badges.get(node) ?? [],
    };
  }
}

/** Whether two maps of plain data hold the same in the same order. */
function areEqual(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  return JSON.stringify([...a]) === JSON.stringify([...b]);
}

function nodeElement(node: PlacedNode, hasLabel: boolean): cytoscape.ElementDefinition {
  return {
    group: "nodes",
    data: {
      id: node.id,
      node: node.node,
      label: node.label,
      type: node.type,
      width: node.width,
      height: node.height,
      badgeWidth: node.badgeWidth,
      fill: "",
      ink: "",
    },
    position: { x: node.x, y: node.y },
    classes: hasLabel ? [] : [UNLABELLED],
  };
}

function edgeElement(id: string, { classes, ...data }: DrawnEdge): cytoscape.ElementDefinition {
  return { group: "edges", data: { id, ...data }, classes: [...classes] };
}
