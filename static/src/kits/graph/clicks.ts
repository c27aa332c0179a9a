/** Clicks and double clicks on the nodes of a graph. */

import type cytoscape from "cytoscape";

/** Between two clicks of a double click. */
const MOST_MILLISECONDS = 400;
const MOST_PIXELS = 8;

interface Place {
  x: number;
  y: number;
}

interface Click<T> extends Place {
  /** What it was on; undefined where that is no node. */
  on: T | undefined;
  time: number;
}

/**
 * Listens for clicks. A double click is on what its first click was on: that click may have moved the graph, or drawn another one, so that
 * something else is under the pointer now. The second click does nothing else. `at` is in the coordinates of the graph.
 */
export function listenForClicks<T>(
  cy: cytoscape.Core,
  find: (node: cytoscape.NodeSingular) => T | undefined,
  onClick: (on: T, at: Place) => void,
  onDoubleClick: (on: T) => void,
): void {
  let first: Click<T> | null = null;
  cy.on("tap", (event) => {
    const { x, y } = event.renderedPosition;
    const time = event.originalEvent.timeStamp;
    const isSecond = first !== null && time - first.time <= MOST_MILLISECONDS && Math.hypot(x - first.x, y - first.y) <= MOST_PIXELS;
    const on = isSecond ? first!.on : event.target === cy ? undefined : find(event.target as cytoscape.NodeSingular);
    first = isSecond ? null : { on, time, x, y };
    if (on !== undefined && isSecond) {
      onDoubleClick(on);
    } else if (on !== undefined) {
      onClick(on, event.position);
    }
  });
}
