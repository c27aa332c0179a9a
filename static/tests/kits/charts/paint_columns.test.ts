import { describe, expect, it } from "vitest";
import { emptyPixels, type Pixels, paintBeneath } from "../../../src/kits/charts/paint_columns";

const RED = 0xff0000ff;
const BLUE = 0xffff0000;

const columns = (...ranges: [low: number, high: number][]) => ({
  low: Float64Array.from(ranges, ([low]) => low),
  high: Float64Array.from(ranges, ([, high]) => high),
});
const brush = { low: 0, high: 10, half: 0, ink: RED, dash: [] };

/** How opaque the pixels of a column are, from the top, in percent. */
const opaque = ({ data, height }: Pixels, column: number): number[] =>
  Array.from(data.subarray(column * height, (column + 1) * height), (pixel) => Math.round(((pixel >>> 24) * 100) / 255));

describe("the columns of a curve", () => {
  it("are filled from the largest value to the smallest, and half a line further on both sides", () => {
    const pixels = emptyPixels(2, 10);
    // A pixel for each unit: 8 is two pixels from the top.
    paintBeneath(pixels, columns([5, 8], [3, 3]), { ...brush, half: 1 });
    expect(opaque(pixels, 0)).toEqual([0, 100, 100, 100, 100, 100, 0, 0, 0, 0]);
    expect(opaque(pixels, 1)).toEqual([0, 0, 0, 0, 0, 0, 100, 100, 0, 0]);
    expect(pixels.data[1]).toBe(RED);
  });

  it("cover a part of the pixels at their ends", () => {
    const pixels = emptyPixels(2, 10);
    paintBeneath(pixels, columns([6.5, 8.25], [4.3, 4.6]), brush);
    expect(opaque(pixels, 0)).toEqual([0, 25, 100, 50, 0, 0, 0, 0, 0, 0]);
    expect(opaque(pixels, 1)).toEqual([0, 0, 0, 0, 0, 30, 0, 0, 0, 0]);
  });

  it("mix with what lies above where that covers a pixel in part, and are hidden where it covers all of it", () => {
    const pixels = emptyPixels(1, 2);
    paintBeneath(pixels, columns([2.5, 10]), { ...brush, ink: BLUE });
    paintBeneath(pixels, columns([0, 10]), brush);
    expect(pixels.data[0]).toBe(BLUE);
    // Half of the lower pixel.
    expect([0, 8, 16, 24].map((shift) => (pixels.data[1]! >>> shift) & 0xff)).toEqual([127, 0, 128, 255]);
  });

  it("look as if they were painted one over another, however they lie", () => {
    const [width, height] = [40, 30];
    const pixels = emptyPixels(width, height);
    const inks = [0xff0000ff, 0xff00ff00, 0xffff0000, 0xff00ffff, 0xffff00ff];
    // Whole pixels, whose colours need no rounding: each is that of the topmost curve that covers it.
    const curves = inks.map((_, k) =>
      columns(
        ...Array.from({ length: width }, (_, x): [number, number] => {
          const [a, b] = [(x * (k + 3) * 7) % height, (x * (k + 5) * 11 + k) % height];
          return [Math.min(a, b), Math.max(a, b)];
        }),
      ),
    );
    curves.forEach((curve, k) => paintBeneath(pixels, curve, { ...brush, high: height, ink: inks[k]! }));
    for (let x = 0; x < width; x++) {
      for (let y = 0; y < height; y++) {
        const value = height - 1 - y;
        const topmost = curves.findIndex(({ low, high }) => low[x]! <= value && value < high[x]!);
        expect(pixels.data[x * height + y]).toBe(topmost < 0 ? 0 : inks[topmost]);
      }
    }
  });

  it("end at the edges, and are left out beyond them, where they are empty, and where the line is interrupted", () => {
    const pixels = emptyPixels(5, 3);
    paintBeneath(pixels, columns([-100, 100], [20, 30], [-9, -8], [NaN, NaN], [Infinity, -Infinity]), { ...brush, half: 1 });
    expect([0, 1, 2, 3, 4].map((column) => opaque(pixels, column))).toEqual([[100, 100, 100], ...new Array(4).fill([0, 0, 0])]);
  });

  it("have the gaps of a dashed line", () => {
    const pixels = emptyPixels(7, 1);
    paintBeneath(pixels, columns(...new Array<[number, number]>(7).fill([0, 10])), { ...brush, dash: [2, 1] });
    expect([...pixels.data].map((pixel) => (pixel === RED ? "x" : "_")).join("")).toBe("xx_xx_x");
  });
});
