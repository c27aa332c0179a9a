/** A figure as pixels, drawn by the browser from the SVG. */

import { type SvgElement, svgFile } from "./svg";

/** Pixels per pixel of the figure. */
const FINENESS = 2;

/** Browsers refuse larger canvases. */
const LONGEST_SIDE = 16_000;
const MOST_PIXELS = 120e6;

/** How much larger a figure of some size is drawn: twice, unless that were too large for a browser. */
export function finenessOf(width: number, height: number): number {
  return Math.min(FINENESS, LONGEST_SIDE / width, LONGEST_SIDE / height, Math.sqrt(MOST_PIXELS / (width * height)));
}

/** A PNG of the figure. Throws where the browser cannot draw it. */
export async function pngOf(root: SvgElement): Promise<Blob> {
  const [width, height] = [Number(root.attributes.width), Number(root.attributes.height)];
  const fineness = finenessOf(width, height);
  const address = URL.createObjectURL(new Blob([svgFile(root)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * fineness);
    canvas.height = Math.round(height * fineness);
    const context = canvas.getContext("2d");
    context?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = context && (await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png")));
    if (!blob) {
      throw new Error("This figure is too large for this browser to save as PNG. Save it as SVG.");
    }
    return blob;
  } finally {
    URL.revokeObjectURL(address);
  }
}
