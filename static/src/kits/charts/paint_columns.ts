/** Paints curves column by column into pixels: a hundred curves take a few milliseconds, where paths with as many corners take a hundred. */

/** The extremes of a curve, column by column: NaN where a column has none of its points, and infinite where it is interrupted there. */
export interface Columns {
  low: Float64Array;
  high: Float64Array;
}

/** Pixels, column by column from the top: what is filled of one lies together. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint32Array;
}

export interface Brush {
  /** The values at the bottom and at the top. */
  low: number;
  high: number;
  /** What is added above and below: half the width of a line. */
  half: number;
  /** Red, green, blue and opaqueness, each a byte, the red one lowest. */
  ink: number;
  /** Lengths that are drawn and left out by turns; empty: all is drawn. */
  dash: readonly number[];
}

/** Fills every column from its highest to its lowest value. A pixel that is covered in part takes a part of the colour. */
export function paintColumns(pixels: Pixels, { low, high }: Columns, { low: bottom, high: top, half, ink, dash }: Brush): void {
  const { width, height, data } = pixels;
  const scale = height / (top - bottom);
  const isLeftOut = leftOut(dash, width);
  for (let column = 0; column < width; column++) {
    const [lowest, highest] = [low[column]!, high[column]!];
    // Neither NaN nor what interrupts the line compares like this.
    if (!(lowest <= highest) || isLeftOut?.[column] === 1) {
      continue;
    }
    const from = Math.max(0, (top - highest) * scale - half);
    const to = Math.min(height, (top - lowest) * scale + half);
    if (!(from < to)) {
      continue;
    }
    const [first, last] = [Math.floor(from), Math.floor(to)];
    const start = column * height;
    if (first === last) {
      blend(data, start + first, ink, to - from);
      continue;
    }
    blend(data, start + first, ink, first + 1 - from);
    for (let place = start + first + 1; place < start + last; place++) {
      data[place] = ink;
    }
    if (to > last) {
      blend(data, start + last, ink, to - last);
    }
  }
}

/** Puts a colour over a pixel, as a part of it. */
function blend(data: Uint32Array, place: number, ink: number, part: number): void {
  const below = data[place]!;
  if (below === 0) {
    data[place] = ((255 * part + 0.5) << 24) | (ink & 0xffffff);
    return;
  }
  const opaque = below >>> 24;
  // What part of the mixed colour the new one is, of 256.
  const whole = part + (opaque / 255) * (1 - part);
  const own = (256 * part) / whole + 0.5;
  data[place] = ((255 * whole + 0.5) << 24) | mixed(ink, below, own, 16) | mixed(ink, below, own, 8) | mixed(ink, below, own, 0);
}

function mixed(ink: number, below: number, own: number, shift: number): number {
  const [over, under] = [(ink >>> shift) & 0xff, (below >>> shift) & 0xff];
  return (under + (((over - under) * (own | 0) + 128) >> 8)) << shift;
}

/** Per column, 1 between dashes; undefined where there are none. */
function leftOut(dash: readonly number[], width: number): Uint8Array | undefined {
  if (dash.length === 0) {
    return undefined;
  }
  const result = new Uint8Array(width);
  let [piece, left] = [0, dash[0]!];
  for (let column = 0; column < width; column++) {
    while (left <= 0) {
      piece = (piece + 1) % dash.length;
      left += Math.max(dash[piece]!, Number.EPSILON);
    }
    result[column] = piece % 2;
    left -= 1;
  }
  return result;
}

/** The pixels as a canvas, which can be drawn over what is there. */
export function pictureOf({ width, height, data }: Pixels): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(width, height);
  const rows = new Uint32Array(image.data.buffer);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * width + x] = data[x * height + y]!;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
