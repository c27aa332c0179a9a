/** How wide the names of nodes are. */

import { FONT_SIZE } from "./placement";

let measuring: CanvasRenderingContext2D | null = null;

export function measureText(text: string): number {
  measuring ??= document.createElement("canvas").getContext("2d");
  if (measuring === null) {
    return text.length * FONT_SIZE * 0.6;
  }
  measuring.font = `${FONT_SIZE}px system-ui, sans-serif`;
  return measuring.measureText(text).width;
}
