/** A level on the screen: Cytoscape draws it and handles the pointer. */

import type cytoscape from "cytoscape";
import { listenForClicks } from "../../../kits/graph/clicks";
import { MovedView } from "../../../kits/graph/moved_view";
import type { Palette } from "../../../kits/graph/palette";
import { createDrawing } from "../../../kits/graph/style";
import type { DrawnItem, DrawnLevel } from "./level_drawing";
import { moduleStyles } from "./style";

/** The item under the pointer, and where to describe it. */
export interface Hover {
  item: number;
  x: number;
  y: number;
}

interface ModuleCallbacks {
  onSelect(item: number): void;
  onOpen(item: number): void;
  onHover(hover: Hover | null): void;
  /** An item is being dragged: to a place in the window, and whether it was let go there. */
  onDrag(item: number, x: number, y: number, isDropped: boolean): void;
}

const FIT_PADDING = 26;
const LARGEST_FIT = 1.2;
/** When a level would be smaller than this, its beginning is shown instead. */
const SMALLEST_FIT = 0.45;
const READABLE = 0.8;
const EDGE_MARGIN = 24;
/** From so many pixels on, a press with a motion is no click. */
const DRAG_DISTANCE = 6;

export class ModuleCanvas extends MovedView {
  private drawn: DrawnLevel | null = null;
  private selected = -1;

  constructor(container: HTMLElement, callbacks: ModuleCallbacks, palette: Palette) {
    super(createDrawing(container, moduleStyles(palette)));
    this.listen(callbacks);
  }

  destroy(): void {
    this.cy.destroy();
  }

  setPalette(palette: Palette): void {
    this.cy.style(moduleStyles(palette));
  }

  /** Replaces what is drawn; null: nothing. With `isSameLevel`, the view stays where the person has moved it. */
  setLevel(drawn: DrawnLevel | null, isSameLevel: boolean): void {
    this.drawn = drawn;
    this.moved &&= isSameLevel;
    this.cy.batch(() => {
      this.cy.elements().remove();
      if (drawn === null) {
        return;
      }
      this.cy.add(drawn.items.map((item, k) => itemElement(item, k)));
      this.cy.add(drawn.edges.map(({ classes, points: _, ...data }) => ({ group: "edges", data, classes: [...classes] })));
    });
    this.fitUnlessMoved();
  }

  setSelected(selected: number): void {
    this.selected = selected;
    this.cy.batch(() => {
      this.cy.elements().removeClass("selected neighbour");
      const element = this.cy.getElementById(this.drawn?.items[selected]?.id ?? "");
      element.addClass("selected");
      element.connectedEdges().addClass("selected");
      element.neighborhood("node").addClass("neighbour");
    });
    this.reveal();
  }

  zoomBy(factor: number): void {
    this.moved = true;
    const item = this.drawn?.items[this.selected];
    const renderedPosition = item === undefined ? { x: this.cy.width() / 2, y: this.cy.height() / 2 } : this.toScreen(item);
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition });
  }

  fit(): void {
    this.moved = true;
    this.showAll();
  }

  panBy(x: number, y: number): void {
    this.moved = true;
    this.cy.panBy({ x, y });
  }

  private showAll(): void {
    if (this.drawn === null) {
      return;
    }
    const { left, right, top, bottom } = this.drawn.placed.bounds;
    const room = { x: this.cy.width() - 2 * FIT_PADDING, y: this.cy.height() - 2 * FIT_PADDING };
    const zoom = Math.max(this.cy.minZoom(), Math.min(LARGEST_FIT, room.x / (right - left), room.y / (bottom - top)));
    this.cy.zoom(zoom);
    this.cy.pan({ x: this.cy.width() / 2 - ((left + right) / 2) * zoom, y: this.cy.height() / 2 - ((top + bottom) / 2) * zoom });
  }

  fitUnlessMoved(): void {
    this.cy.resize();
    const first = this.drawn?.items[Math.max(0, this.selected)];
    if (this.moved || first === undefined || this.cy.width() === 0) {
      return;
    }
    if (this.showWanted()) {
      return;
    }
    this.showAll();
    if (this.cy.zoom() < SMALLEST_FIT) {
      this.cy.zoom(READABLE);
      this.cy.center(this.cy.getElementById(first.id));
      this.startAtBeginning(first);
    }
  }

  /** Without a selection, the first item is where reading begins rather than in the middle. */
  private startAtBeginning({ width, height }: DrawnItem): void {
    if (this.selected < 0) {
      const isDown = this.drawn?.direction === "down";
      const reach = ((isDown ? height : width) * READABLE) / 2 + FIT_PADDING;
      this.cy.panBy(isDown ? { x: 0, y: reach - this.cy.height() / 2 } : { x: reach - this.cy.width() / 2, y: 0 });
    }
  }

  /** Moves the view as little as needed for the selected item to be in it. */
  private reveal(): void {
    const item = this.drawn?.items[this.selected];
    if (item === undefined || this.cy.width() === 0) {
      return;
    }
    const { x, y } = this.toScreen(item);
    const zoom = this.cy.zoom();
    const within = (value: number, extent: number, size: number): number => {
      const reach = Math.min((extent / 2) * zoom + EDGE_MARGIN, size / 2);
      return Math.max(reach, Math.min(size - reach, value)) - value;
    };
    this.cy.panBy({ x: within(x, item.width, this.cy.width()), y: within(y, item.height, this.cy.height()) });
  }

  private toScreen({ x, y }: DrawnItem): { x: number; y: number } {
    const [pan, zoom] = [this.cy.pan(), this.cy.zoom()];
    return { x: x * zoom + pan.x, y: y * zoom + pan.y };
  }

  private listen(callbacks: ModuleCallbacks): void {
    listenForClicks(
      this.cy,
      (node) => ({ item: node.data("item") as number, drawn: this.drawn }),
      ({ item }) => callbacks.onSelect(item),
      ({ item, drawn }) => {
        // The first click may have unfolded what was there.
        if (drawn === this.drawn) {
          callbacks.onOpen(item);
        }
      },
    );
    this.cy.on("mouseover", "node", (event) => {
      const item = event.target.data("item") as number;
      const drawn = this.drawn?.items[item];
      if (drawn !== undefined) {
        const { x, y } = this.toScreen(drawn);
        callbacks.onHover({ item, x, y: y + (drawn.height / 2) * this.cy.zoom() });
      }
    });
    this.cy.on("mouseout", "node", () => callbacks.onHover(null));
    this.cy.on("viewport", () => callbacks.onHover(null));
    this.cy.on("tapstart", "node", (event) =>
      this.startDrag(event.target.data("item") as number, event.originalEvent as MouseEvent, callbacks),
    );
  }

  /** A press on an item that moves takes the item along, out of the drawing if need be; the drawing stays where it is. */
  private startDrag(item: number, { clientX, clientY }: MouseEvent, { onDrag }: ModuleCallbacks): void {
    if (clientX === undefined) {
      return; // A touch moves the drawing.
    }
    this.cy.userPanningEnabled(false);
    const ending = new AbortController();
    let isDragged = false;
    const move = (event: MouseEvent, isDropped: boolean): void => {
      isDragged ||= Math.hypot(event.clientX - clientX, event.clientY - clientY) > DRAG_DISTANCE;
      if (isDragged) {
        onDrag(item, event.clientX, event.clientY, isDropped);
      }
    };
    const end = (): void => {
      ending.abort();
      this.cy.userPanningEnabled(true);
    };
    const { signal } = ending;
    window.addEventListener("mousemove", (event) => move(event, false), { signal });
    const drop = (event: MouseEvent): void => {
      end();
      move(event, true);
    };
    window.addEventListener("mouseup", drop, { signal, capture: true });
    window.addEventListener("blur", end, { signal });
  }
}

function itemElement(item: DrawnItem, k: number): cytoscape.ElementDefinition {
  const { id, title, subtitle, width, height, kind, node, badges } = item;
  const isOpenable = node.hasCalls && kind === "single";
  const classes = [
    node.kind,
    kind,
    ...(isOpenable ? ["openable"] : []),
    ...(node.raised ? ["raised"] : []),
    ...(badges.length > 0 ? ["badged"] : []),
  ];
  return {
    group: "nodes",
    data: { id, item: k, label: subtitle === "" ? title : `${title}\n${subtitle}`, width, height, badges },
    position: { x: item.x, y: item.y },
    classes,
  };
}
