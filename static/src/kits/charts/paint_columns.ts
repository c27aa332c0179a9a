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
  /** Per column, from which pixel to which nothing shows through that anybody sees: what lies beneath is not painted there. */
  covered: { first: Int32Array; end: Int32Array };
}

export function emptyPixels(width: number, height: number): Pixels {
  return { width, height, data: new Uint32Array(width * height), covered: { first: new Int32Array(width), end: new Int32Array(width) } };
}

/** Through a pixel that is at least so opaque, of 255, nobody sees what lies beneath. */
const HIDING = 240;

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

/**
 * Fills every column from its highest to its lowest value, beneath what is there: of many curves, what others hide is not painted at all. A
 * pixel that is covered in part takes a part of the colour.
 */
export function paintBeneath(pixels: Pixels, { low, high }: Columns, { low: bottom, high: top, half, ink, dash }: Brush): void {
  const { width, height, covered } = pixels;
  const { first, end } = covered;
  const scale = height / (top - bottom);
  const zero = top * scale;
  const isLeftOut = leftOut(dash, width);
  for (let column = 0; column < width; column++) {
    const from = zero - high[column]! * scale - half;
    const to = zero - low[column]! * scale + half;
    // Most are hidden where there are many. Neither NaN nor what interrupts the line compares like this.
    if (from < to && !(first[column]! <= from && to <= end[column]!) && isLeftOut?.[column] !== 1 && from < height && to > 0) {
      paintColumn(pixels, column, from < 0 ? 0 : from, to > height ? height : to, ink);
    }
  }
}

/** Fills a column from one height to another, which may lie within pixels. */
function paintColumn({ height, data, covered }: Pixels, column: number, from: number, to: number, ink: number): void {
  const start = column * height;
  const first = Math.floor(from);
  const last = Math.floor(to);
  if (first === last) {
    blend(data, start + first, ink, to - from);
    return;
  }
  blend(data, start + first, ink, first + 1 - from);
  if (to > last) {
    blend(data, start + last, ink, to - last);
  }
  const coveredFirst = covered.first[column]!;
  const coveredEnd = covered.end[column]!;
  for (let y = first + 1; y < last; y++) {
    if (y >= coveredFirst && y < coveredEnd) {
      y = coveredEnd;
    }
    if (y < last) {
      if (data[start + y] === 0) {
        data[start + y] = ink;
      } else {
        blend(data, start + y, ink, 1);
      }
    }
  }
  cover(covered, column, from === first ? first : first + 1, last);
  // What several curves covered in part hides what lies beneath, too.
  while (covered.first[column]! > 0 && data[start + covered.first[column]! - 1]! >>> 24 >= HIDING) {
    covered.first[column]! -= 1;
  }
  while (covered.end[column]! < height && data[start + covered.end[column]!]! >>> 24 >= HIDING) {
    covered.end[column]! += 1;
  }
}

/** Adds pixels to those of a column that nothing shows through; of two pieces with others between them, the longer one is known. */
function cover({ first, end }: Pixels["covered"], column: number, from: number, to: number): void {
  const knownFirst = first[column]!;
  const knownEnd = end[column]!;
  if (from <= knownEnd && knownFirst <= to && knownFirst < knownEnd) {
    first[column] = Math.min(knownFirst, from);
    end[column] = Math.max(knownEnd, to);
  } else if (to - from > knownEnd - knownFirst) {
    first[column] = from;
    end[column] = to;
  }
}

/** Puts a part of a pixel in a colour beneath what is there. */
function blend(data: Uint32Array, place: number, ink: number, part: number): void {
  const over = data[place]!;
  if (over === 0) {
    data[place] = ((255 * part + 0.5) << 24) | (ink & 0xffffff);
    return;
  }
  const opaque = over >>> 24;
  if (opaque === 255) {
    return;
  }
  const seen = part * (1 - opaque / 255);
  const whole = opaque / 255 + seen;
  // What part of the mixed colour the new one is, of 256.
  const own = (256 * seen) / whole + 0.5;
  data[place] = ((255 * whole + 0.5) << 24) | mixed(ink, over, own, 16) | mixed(ink, over, own, 8) | mixed(ink, over, own, 0);
}

function mixed(ink: number, other: number, own: number, shift: number): number {
  const [added, known] = [(ink >>> shift) & 0xff, (other >>> shift) & 0xff];
  return (known + (((added - known) * (own | 0) + 128) >> 8)) << shift;
}

/** What is left out of the last picture's columns, by its dashes: a hundred curves have few. */
let gaps = { width: 0, ofDash: new Map<string, Uint8Array>() };

/** Per column, 1 between dashes; undefined where there are none. */
function leftOut(dash: readonly number[], width: number): Uint8Array | undefined {
  if (dash.length === 0) {
    return undefined;
  }
  if (gaps.width !== width) {
    gaps = { width, ofDash: new Map() };
  }
  const key = dash.join(" ");
  const known = gaps.ofDash.get(key) ?? gapsOf(dash, width);
  gaps.ofDash.set(key, known);
  return known;
}

function gapsOf(dash: readonly number[], width: number): Uint8Array {
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

interface Picture {
  canvas: HTMLCanvasElement;
  context: CanvasRenderingContext2D;
  image: ImageData;
}

/** Taken again for the next picture of its size: a new one costs more than what is drawn into it. */
let known: Picture | null = null;

function pictureOfSize(width: number, height: number): Picture {
  if (known?.canvas.width !== width || known.canvas.height !== height) {
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d")!;
    known = { canvas, context, image: context.createImageData(width, height) };
  }
  return known;
}

/** Pixels that lie together in both orders fit into the processor's cache. */
const TILE = 16;

/** Writes column by column what follows row by row, tile by tile. */
export function turn(columns: Uint32Array, rows: Uint32Array, width: number, height: number): void {
  for (let left = 0; left < width; left += TILE) {
    const right = Math.min(left + TILE, width);
    for (let top = 0; top < height; top += TILE) {
      const bottom = Math.min(top + TILE, height);
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
          rows[y * width + x] = columns[x * height + y]!;
        }
      }
    }
  }
}

/** The pixels as a canvas, which can be drawn over what is there until the next one is asked for. */
export function pictureOf({ width, height, data }: Pixels): HTMLCanvasElement {
  const { canvas, context, image } = pictureOfSize(width, height);
  turn(data, new Uint32Array(image.data.buffer), width, height);
  context.putImageData(image, 0, 0);
  return canvas;
}
