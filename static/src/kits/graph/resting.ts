/** Lets Cytoscape rest. By itself it asks for every frame of the screen, and takes a twelfth of a processor while nothing changes. */

import type cytoscape from "cytoscape";

/** For so many frames after it has drawn, the library prepares pictures of what it draws next. */
const FRAMES_AWAKE = 20;

/** The part of the library's renderer that says when there is something to draw. */
interface Renderer {
  destroyed?: boolean;
  renderLoopStarted: boolean;
  startRenderLoop(): void;
  redraw(options?: unknown): void;
  notify(event: string, elements?: unknown): void;
  /** Calls back in every frame, whether or not something is drawn in it. */
  beforeRender(callback: (willDraw: boolean) => void, priority: number): void;
}

/** Ends the loop of a drawing some frames after the last change, and begins it again with the next one. */
export function letRest(cy: cytoscape.Core): void {
  const renderer = (cy as unknown as { renderer(): Renderer }).renderer();
  const { notify, redraw } = renderer;
  let idleFrames = 0;
  let isDestroyed = false;
  /** Whether the loop is to end, and whether it has: it sees only in the next frame that it is to. */
  let isResting = false;
  let hasEnded = false;

  const wake = (): void => {
    idleFrames = 0;
    isResting = false;
    if (hasEnded && !isDestroyed) {
      hasEnded = false;
      renderer.renderLoopStarted = false;
      renderer.startRenderLoop();
    }
  };
  // The loop goes on unless this is true.
  Object.defineProperty(renderer, "destroyed", {
    get: () => isDestroyed || isResting,
    set: (value: boolean) => {
      isDestroyed = value;
    },
  });
  renderer.notify = (event, elements) => {
    wake();
    notify.call(renderer, event, elements);
  };
  renderer.redraw = (options) => {
    wake();
    redraw.call(renderer, options);
  };
  renderer.beforeRender((willDraw) => {
    idleFrames = willDraw ? 0 : idleFrames + 1;
    if (idleFrames >= FRAMES_AWAKE) {
      isResting = true;
      requestAnimationFrame(() => {
        hasEnded = isResting;
      });
    }
  }, 0);
}
