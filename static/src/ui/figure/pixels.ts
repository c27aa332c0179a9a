/** Pixels as a PNG that can stand inside a figure. */

export function pngAddress(width: number, height: number, draw: (pixels: Uint32Array) => void): string {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context === null) {
    throw new Error("This browser cannot draw images.");
  }
  const image = context.createImageData(width, height);
  draw(new Uint32Array(image.data.buffer));
  context.putImageData(image, 0, 0);
  return canvas.toDataURL("image/png");
}
