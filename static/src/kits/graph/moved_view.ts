/** What is in view of a graph where the person has moved it, or where an address asks for it. */

import type cytoscape from "cytoscape";

/** The place in the middle of the view, and how large the graph is drawn. */
export interface Zoom {
  x: number;
  y: number;
  level: number;
}

export abstract class MovedView {
  /** Whether the person has moved the view; until then it follows the graph and the size of the window. */
  private hasMoved = false;
  /** What the address asks for, until the person moves the view. */
  private wanted: Zoom | null = null;
  /** Called when the person leaves what the address asks for. */
  onLeave: (() => void) | null = null;

  constructor(protected readonly cy: cytoscape.Core) {
    cy.on("scrollzoom pinchzoom dragpan", () => (this.moved = true));
  }

  protected get moved(): boolean {
    return this.hasMoved;
  }

  protected set moved(value: boolean) {
    this.hasMoved = value;
    if (value && this.wanted !== null) {
      this.wanted = null;
      this.onLeave?.();
    }
  }

  /** What the person has moved the view to; null where they have not, or where the view has no size. */
  get zoom(): Zoom | null {
    const [pan, level, width, height] = [this.cy.pan(), this.cy.zoom(), this.cy.width(), this.cy.height()];
    const isTheirs = this.hasMoved || this.wanted !== null;
    return isTheirs && width > 0 && height > 0 ? { x: (width / 2 - pan.x) / level, y: (height / 2 - pan.y) / level, level } : null;
  }

  /** Shows what an address asks for, as soon as there is room for it, until the person moves the view; null where it asks for nothing. */
  show(zoom: Zoom | null): void {
    if (zoom !== null || this.wanted !== null) {
      this.hasMoved = false;
      this.wanted = zoom;
      this.fitUnlessMoved();
    }
  }

  /** Takes the room that there is now. */
  abstract fitUnlessMoved(): void;

  /** Shows what the address asks for; false where it asks for nothing. */
  protected showWanted(): boolean {
    if (this.wanted === null) {
      return false;
    }
    const { x, y, level } = this.wanted;
    this.cy.zoom(level);
    this.cy.pan({ x: this.cy.width() / 2 - x * level, y: this.cy.height() / 2 - y * level });
    return true;
  }
}
