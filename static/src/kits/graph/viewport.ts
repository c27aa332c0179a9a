/** Which part of the graph is in view: all of it, the surroundings of the selected node, or what the person has moved it to. */

import { areLabelsReadable, LABEL_SIZE, type Label, readableLabels } from "./labels";
import { MovedView } from "./moved_view";
import { fittingZoom, type PlacedNode, type Placement, uprightExtent, WIDE } from "./placement";

/** The part of the graph that is in view, in its own lengths. */
export interface VisiblePart {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Whether all that is drawn is in view. */
  hasAll: boolean;
}

/** If fewer names than that would be read whole, the surroundings of the selected node are shown instead of all of the graph. */
const MOST_NAMES = 0.75;
const READABLE = 0.85;
const EDGE_MARGIN = 24;

export class Viewport extends MovedView {
  private placement: Placement = { measures: WIDE, nodes: [], headings: [], columns: [] };
  private selected: PlacedNode | undefined;

  /** Another graph is drawn: the selected node stays where it is on the screen if the person has moved the view. */
  setPlacement(placement: Placement, selected: PlacedNode | undefined): void {
    const screen = this.selected && this.toScreen(this.selected);
    this.placement = placement;
    this.selected = selected;
    if (!this.moved) {
      this.fitUnlessMoved();
    } else if (screen !== undefined && selected !== undefined) {
      const zoom = this.cy.zoom();
      this.cy.pan({ x: screen.x - selected.x * zoom, y: screen.y - selected.y * zoom });
    }
  }

  /** Another node is selected: moves the view as little as needed for it to be in it. */
  setSelected(selected: PlacedNode | undefined): void {
    this.selected = selected;
    if (selected === undefined || this.cy.width() === 0) {
      return;
    }
    const { x, y } = this.toScreen(selected);
    const zoom = this.cy.zoom();
    const reachX = Math.min((selected.width / 2) * zoom + EDGE_MARGIN, this.cy.width() / 2);
    const reachY = Math.min((selected.height / 2) * zoom + EDGE_MARGIN, this.cy.height() / 2);
    const within = (value: number, reach: number, size: number): number => Math.max(reach, Math.min(size - reach, value));
    const by = { x: within(x, reachX, this.cy.width()) - x, y: within(y, reachY, this.cy.height()) - y };
    if (by.x !== 0 || by.y !== 0) {
      this.cy.panBy(by);
    }
  }

  fitUnlessMoved(): void {
    this.cy.resize();
    if (this.moved || this.cy.width() === 0 || this.placement.nodes.length === 0) {
      return;
    }
    if (this.showWanted()) {
      return;
    }
    this.fit();
    this.moved = false;
    if (this.selected !== undefined && !this.namesAreReadable()) {
      this.cy.zoom(READABLE);
      this.cy.center(this.cy.getElementById(this.selected.id));
      this.alignSideways(this.selected);
    }
  }

  /** The whole graph. */
  fit(): void {
    this.moved = true;
    const { columns } = this.placement;
    const [left, right] = [columns[0]?.left ?? 0, columns[columns.length - 1]?.right ?? 0];
    // Not the library's own way, which measures every label.
    this.cy.zoom(Math.max(this.cy.minZoom(), fittingZoom(this.placement, { width: this.cy.width(), height: this.cy.height() })));
    const { top, bottom, above, below } = uprightExtent(this.placement);
    this.centerAt((left + right) / 2, (top + bottom) / 2 - (above - below) / 2 / this.cy.zoom());
  }

  /** Zooms towards the selected node, or the middle where that is not in view. */
  zoomBy(factor: number): void {
    this.moved = true;
    const middle = { x: this.cy.width() / 2, y: this.cy.height() / 2 };
    const target = this.selected === undefined ? middle : this.toScreen(this.selected);
    const isInView = target.x >= 0 && target.x <= this.cy.width() && target.y >= 0 && target.y <= this.cy.height();
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: isInView ? target : middle });
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

  /** Null where the view has no size. */
  visiblePart(): VisiblePart | null {
    const [pan, zoom, width, height] = [this.cy.pan(), this.cy.zoom(), this.cy.width(), this.cy.height()];
    if (width === 0 || height === 0) {
      return null;
    }
    const [left, right, top, bottom] = [-pan.x / zoom, (width - pan.x) / zoom, -pan.y / zoom, (height - pan.y) / zoom];
    const isInView = ({ x, y, width: own, height: high }: PlacedNode): boolean =>
      x - own / 2 >= left && x + own / 2 <= right && y - high / 2 >= top && y + high / 2 <= bottom;
    return { left, right, top, bottom, hasAll: this.placement.nodes.every(isInView) };
  }

  /** Calls a listener whenever something else may be in view; returns what ends that. */
  onChange(listener: () => void): () => void {
    this.cy.on("render", listener);
    return () => this.cy.off("render", listener);
  }

  /** Where the middle of a node is on the screen. */
  toScreen(node: PlacedNode): { x: number; y: number } {
    const [pan, zoom] = [this.cy.pan(), this.cy.zoom()];
    return { x: node.x * zoom + pan.x, y: node.y * zoom + pan.y };
  }

  /** Whether there is room for the whole names of most nodes where the view is now. */
  private namesAreReadable(): boolean {
    const { measures, nodes } = this.placement;
    const [zoom, pan] = [this.cy.zoom(), this.cy.pan()];
    if (areLabelsReadable(zoom)) {
      return true;
    }
    if (measures.rowHeight * zoom < LABEL_SIZE) {
      return false;
    }
    const names = readableLabels(
      this.placement,
      () => "none",
      () => false,
      { pan, zoom, width: this.cy.width(), height: this.cy.height() },
    );
    const placed = new Map(nodes.map((node) => [node.node, node]));
    const isWhole = ({ node, text, width, isOnNode }: Label): boolean => {
      const own = placed.get(node);
      return text === own?.label && (!isOnNode || width <= own.width * zoom);
    };
    return names.filter(isWhole).length >= MOST_NAMES * nodes.length;
  }

  /** Shows no empty space beside the graph where there is more of it, and centres it where it is narrower than the view. */
  private alignSideways(selected: PlacedNode): void {
    const zoom = this.cy.zoom();
    const {
      measures: { margin },
      columns,
    } = this.placement;
    const [first, last] = [columns[0]?.left ?? 0, columns[columns.length - 1]?.right ?? 0];
    const left = this.cy.width() / 2 - (selected.x - first) * zoom;
    const right = left + (last - first) * zoom;
    const room = this.cy.width() - margin;
    if (right - left < room - margin) {
      this.cy.panBy({ x: (this.cy.width() - left - right) / 2, y: 0 });
    } else {
      this.cy.panBy({ x: Math.min(0, margin - left) + Math.max(0, room - right), y: 0 });
    }
  }
}
