import { describe, expect, it } from "vitest";
import {
  arrange,
  axesOf,
  boardOf,
  cellOf,
  partInWords,
  partOf,
  rangeOf,
  readPage,
  valueAt,
  writePage,
} from "../../../src/kits/heatmap/board";
import { type Ink, isInGaps, paint } from "../../../src/kits/heatmap/paint_cells";
import {
  colorNumber,
  colorNumbers,
  colorsOf,
  cssColor,
  fittingScale,
  pixel,
  placeOnScale,
  readScale,
  SCALES,
  valueOnScale,
} from "../../../src/kits/heatmap/value_colors";
import { cellsInView, fittedCell, moved, placingOf, WHOLE, withCell, zoomed } from "../../../src/kits/heatmap/viewport";
import { joined, readExtent, sharedExtent } from "../../../src/tabs/tensors/picture/color_extent";
import { orderedSamples, readSampleOrder } from "../../../src/tabs/tensors/picture/sample_order";

const board = (shape: number[], page?: string, aspect = 2) => {
  const arrangement = arrange(axesOf(shape, null));
  return boardOf(arrangement, readPage(page, arrangement), aspect);
};

describe("a board", () => {
  it("leaves out the batch, but keeps the positions of axes", () => {
    expect(axesOf([6, 2, 3], 1)).toEqual([
      { position: 0, size: 6, name: "axis 0" },
      { position: 2, size: 3, name: "axis 2" },
    ]);
  });

  it("calls the last axes by the names that are known", () => {
    const names = (shape: number[], batch: number | null, known: string[]) => axesOf(shape, batch, known).map((axis) => axis.name);
    expect(names([8, 4, 5, 6], 0, ["sample", "head", "query", "key"])).toEqual(["head", "query", "key"]);
    expect(names([8, 5, 6], null, ["query", "key"])).toEqual(["axis 0", "query", "key"]);
  });

  it("has the last two axes as rows and columns", () => {
    const matrix = board([2, 3]);
    expect([0, 1].map((row) => [0, 1, 2].map((column) => valueAt(matrix, row, column)))).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(valueAt(matrix, 2, 0)).toBe(-1);
  });

  it("lays the axis before them out as tiles, with room between them", () => {
    // Three tiles of 2 x 2 with a gap of one, two of them side by side.
    const tiles = board([3, 2, 2], undefined, 1);
    expect([tiles.tilesAcross, tiles.rows, tiles.columns]).toEqual([2, 5, 5]);
    const cells = Array.from({ length: 5 }, (_, row) => Array.from({ length: 5 }, (_, column) => valueAt(tiles, row, column)));
    expect(cells).toEqual([
      [0, 1, -1, 4, 5],
      [2, 3, -1, 6, 7],
      [-1, -1, -1, -1, -1],
      [8, 9, -1, -1, -1],
      [10, 11, -1, -1, -1],
    ]);
    expect(Array.from({ length: 12 }, (_, k) => cellOf(tiles, k)).map(({ row, column }) => cells[row]![column])).toEqual(
      Array.from({ length: 12 }, (_, k) => k),
    );
  });

  it("wraps a long vector into rows that are full where that is possible", () => {
    expect(board([7])).toMatchObject({ rows: 1, columns: 7 });
    expect(board([1000])).toMatchObject({ rows: 20, columns: 50 });
    const prime = board([1009]);
    expect(prime.rows * prime.columns).toBeGreaterThanOrEqual(1009);
    expect(valueAt(prime, prime.rows - 1, prime.columns - 1)).toBe(-1);
    expect(cellOf(prime, 1008)).toEqual({ row: Math.floor(1008 / prime.columns), column: 1008 % prime.columns });
    expect(board([])).toMatchObject({ rows: 1, columns: 1, count: 1 });
  });

  it("shows the page that is asked for", () => {
    const arrangement = arrange(axesOf([5, 4, 3, 2], 0));
    const range = (page?: string) => rangeOf(arrangement, readPage(page, arrangement));
    expect(range("2")).toEqual({ start: 12, count: 6 });
    expect(range("*")).toEqual({ start: 0, count: 24 });
    expect(range()).toEqual({ start: 0, count: 24 });
    const two = arrange(axesOf([5, 4, 3, 2], null));
    expect(rangeOf(two, readPage("3.1", two))).toEqual({ start: (3 * 4 + 1) * 6, count: 6 });
    expect(rangeOf(two, readPage("3.*", two))).toEqual({ start: 72, count: 24 });
  });

  it.each(["", "99", "-1", "x.y.z", "*.*.*", "1e3", "0x2", "9999999999999"])("reads the page %j without falling over it", (text) => {
    const arrangement = arrange(axesOf([5, 4, 3, 2], null));
    const { start, count } = rangeOf(arrangement, readPage(text, arrangement));
    expect(start + count).toBeLessThanOrEqual(120);
  });

  it("writes a page only where it is not the usual one", () => {
    const arrangement = arrange(axesOf([5, 4, 3, 2], null));
    expect(writePage([0, null], arrangement)).toBeNull();
    expect(writePage([3, null], arrangement)).toBe("3.*");
    expect(writePage([0, 2], arrangement)).toBe("0.2");
  });

  it("does not lay out a thousand tiles", () => {
    expect(board([1000, 2, 2]).tiles).toBe(1);
  });
});

describe("scales", () => {
  const extent = { low: -1, high: 4 };

  it("have a middle where there are values on both sides of zero", () => {
    expect([fittingScale(extent), fittingScale({ low: 0, high: 4 }), readScale("log"), readScale("rainbow")]).toEqual([
      "diverging",
      "sequential",
      "log",
      null,
    ]);
  });

  it("place values", () => {
    expect([-4, 0, 4].map(placeOnScale("diverging", extent))).toEqual([0, 0.5, 1]);
    expect([-1, 1.5, 4].map(placeOnScale("sequential", extent))).toEqual([0, 0.5, 1]);
    const logarithmic = placeOnScale("log", extent);
    expect([-4, 0, 4].map(logarithmic)).toEqual([0, 0.5, 1]);
    // A hundredth of the largest magnitude still has a colour of its own.
    expect(logarithmic(0.04) - 0.5).toBeGreaterThan(0.15);
    expect(placeOnScale("sequential", { low: 2, high: 2 })(2)).toBe(0.5);
    expect(placeOnScale("diverging", { low: 0, high: 0 })(0)).toBe(0.5);
  });

  it.each(SCALES)("%s goes both ways", (scale) => {
    for (const place of [0, 0.2, 0.5, 0.9, 1]) {
      expect(placeOnScale(scale, extent)(valueOnScale(scale, extent, place))).toBeCloseTo(place, 12);
    }
  });

  it("have 256 colours, the outer ones for what is beyond", () => {
    const colors = colorsOf("sequential", false);
    expect(colors).toHaveLength(256);
    expect([cssColor(colors[0]!), cssColor(colors[255]!)]).toEqual(["rgb(68, 1, 84)", "rgb(253, 231, 37)"]);
    expect([-1, 0, 1, 2].map(colorNumber)).toEqual([0, 0, 255, 255]);
    expect(new Set(colorsOf("diverging", false)).size).toBeGreaterThan(200);
    expect(colorsOf("diverging", true)[128]).not.toBe(colorsOf("diverging", false)[128]);
  });

  it("are looked up as they are computed", () => {
    const extents = [
      { low: -3, high: 7 },
      { low: 0, high: 255 },
      { low: 1e-30, high: 1e-3 },
      { low: -1e38, high: -1 },
      { low: 5, high: 5 },
      { low: 0, high: 0 },
    ];
    let state = 1;
    const random = () => (state = (state * 16807) % 2147483647) / 2 ** 31;
    for (const scale of SCALES) {
      for (const extent of extents) {
        const place = placeOnScale(scale, extent);
        const lookUp = colorNumbers(scale, extent);
        const within = Array.from({ length: 3000 }, () => extent.low + random() * (extent.high - extent.low));
        const anywhere = Array.from({ length: 3000 }, () => (random() - 0.5) * 10 ** (random() * 80 - 40));
        const values = [...within, ...anywhere, 0, -0, extent.low, extent.high, 1e300, -1e300];
        // Between two colours, the last digit of a logarithm decides.
        const clear = values.filter((value) => Math.abs(((place(value) * 255) % 1) - 0.5) > 1e-9);
        expect(clear.map(lookUp)).toEqual(clear.map((value) => colorNumber(place(value))));
      }
    }
  });

  it("share the extent of the whole batch where it bounds what is shown", () => {
    const facts = { smallest: -3, largest: 2 } as any;
    expect(sharedExtent(facts, true, 5)).toEqual({ low: -3, high: 2 });
    expect(sharedExtent(facts, true, 1)).toEqual({ low: 0, high: 3 });
    expect(sharedExtent(facts, true, 2)).toBeNull();
    expect(sharedExtent(facts, false, 0)).toEqual({ low: -3, high: 2 });
    expect(sharedExtent({ smallest: NaN, largest: NaN } as any, true, 5)).toBeNull();
    expect(joined({ low: -3, high: 2 }, { low: 0, high: 9 })).toEqual({ low: -3, high: 9 });
    expect(joined(null, { low: 0, high: 9 })).toEqual({ low: 0, high: 9 });
    expect([readExtent("view"), readExtent("x"), readExtent(undefined)]).toEqual(["view", "tensor", "tensor"]);
  });
});

describe("painting", () => {
  const colors = Uint32Array.from({ length: 256 }, (_, k) => k + 1000);
  const ink: Ink = { colors, colorNumber: (value) => colorNumber(value / 255), background: 1, dark: 2, light: 3, waiting: 4 };
  const draw = (shape: number[], values: number[], width: number, height: number, cell: number, gaps: [number, number][] = []) => {
    const data = new Uint32Array(width * height);
    paint({ width, height, data }, board(shape, "0"), values, isInGaps(gaps), { x: 0, y: 0, cellWidth: cell, cellHeight: cell }, ink);
    return Array.from({ length: height }, (_, y) => [...data.subarray(y * width, (y + 1) * width)]);
  };

  it("gives every cell its colour", () => {
    expect(draw([2, 2], [1, 2, 3, 255], 5, 4, 2)).toEqual([
      [1001, 1001, 1002, 1002, 1],
      [1001, 1001, 1002, 1002, 1],
      [1003, 1003, 1255, 1255, 1],
      [1003, 1003, 1255, 1255, 1],
    ]);
  });

  it("shows the largest magnitude where cells share a pixel, and NaN before it", () => {
    expect(draw([2, 4], [1, 2, 0, 0, 3, 9, 0, 7], 2, 1, 0.5)).toEqual([[1009, 1007]]);
    expect([2, 3]).toContain(draw([2, 2], [1, NaN, 200, 3], 1, 1, 0.5)[0]![0]);
  });

  it("never gives what is not finite a colour, and tells its kinds apart", () => {
    const patterns = [NaN, Infinity, -Infinity].map((value) => draw([1, 1], [value], 12, 12, 12));
    expect(new Set(patterns.flat(2))).toEqual(new Set([2, 3]));
    expect(new Set(patterns.map((pattern) => pattern.join())).size).toBe(3);
  });

  it("shows what is not loaded as such", () => {
    const pixels = draw([1, 2], [0, 5], 12, 6, 6, [[0, 1]]);
    expect(new Set(pixels.flatMap((row) => row.slice(0, 6)))).toEqual(new Set([1, 4]));
    expect(new Set(pixels.flatMap((row) => row.slice(6)))).toEqual(new Set([1005]));
  });

  it("makes pixels in the order of an ImageData", () => {
    expect([...new Uint8Array(Uint32Array.of(pixel([1, 2, 3])).buffer)]).toEqual([1, 2, 3, 255]);
  });
});

describe("a viewport", () => {
  const [cells, room] = [
    { rows: 100, columns: 200 },
    { width: 400, height: 300 },
  ];

  it("begins with everything in view", () => {
    expect(placingOf(WHOLE, cells, room)).toEqual({ x: 0, y: 0, cellWidth: 2, cellHeight: 2 });
    expect(fittedCell({ rows: 2, columns: 1000 }, room)).toEqual({ width: 0.4, height: 16 });
  });

  it("zooms around the pointer, and not out of the board", () => {
    const closer = zoomed(WHOLE, 4, 100, 150, cells, room);
    const { x, y, cellWidth, cellHeight } = placingOf(closer, cells, room);
    expect([cellWidth, cellHeight]).toEqual([8, 8]);
    expect([(100 - x) / cellWidth, (150 - y) / cellHeight]).toEqual([50, 75]);
    expect(zoomed(closer, 1e-9, 0, 0, cells, room).zoom).toBe(1);
    expect(placingOf(zoomed(closer, 1e9, 0, 0, cells, room), cells, room).cellWidth).toBeLessThan(100);
    const outside = placingOf(moved(closer, 1e6, -1e6, cells, room), cells, room);
    expect([outside.x, outside.y]).toEqual([0, 300 - 800]);
  });

  it("knows the cells in view, and says where they are", () => {
    expect(cellsInView(WHOLE, cells, room)).toEqual({ row: 0, column: 0, rows: 100, columns: 200 });
    // Cells of 8 pixels: 50 of 200 columns and 37.5 of 100 rows, of which column 50 stays at pixel 100 and row 75 at pixel 150.
    const part = cellsInView(zoomed(WHOLE, 4, 100, 150, cells, room), cells, room);
    expect(part).toEqual({ row: 56, column: 37, rows: 38, columns: 51 });
    const matrix = arrange([
      { position: 1, size: 100, name: "axis 1" },
      { position: 2, size: 200, name: "axis 2" },
    ]);
    const board = boardOf(matrix, [], 2);
    expect(partInWords(matrix, board, part)).toBe("Part of the picture: axis 1 (100) at 56 to 93, axis 2 (200) at 37 to 87");
    expect(partInWords(matrix, board, { row: 0, column: 0, rows: 100, columns: 200 })).toBe("");
    expect(valueAt(partOf(board, part), 0, 0)).toBe(valueAt(board, 56, 37));
  });

  it("does not name an axis of one place", () => {
    const vector = arrange([{ position: 1, size: 16, name: "axis 1" }]);
    expect(partInWords(vector, boardOf(vector, [], 2), { row: 0, column: 3, rows: 1, columns: 5 })).toBe(
      "Part of the picture: axis 1 (16) at 3 to 7",
    );
    const wrapped = arrange([{ position: 1, size: 64, name: "axis 1" }]);
    expect(partInWords(wrapped, boardOf(wrapped, [], 2), { row: 1, column: 4, rows: 2, columns: 1 })).toBe(
      "Part of the picture: row 1 to 2 of 4, column 4 of 16",
    );
    const column = arrange([
      { position: 1, size: 9, name: "axis 1" },
      { position: 2, size: 1, name: "axis 2" },
    ]);
    expect(partInWords(column, boardOf(column, [], 2), { row: 4, column: 0, rows: 1, columns: 1 })).toBe(
      "Part of the picture: axis 1 (9) at 4",
    );
  });

  it("says which tiles are in view", () => {
    const tiled = arrange([
      { position: 1, size: 4, name: "axis 1" },
      { position: 2, size: 5, name: "axis 2" },
      { position: 3, size: 5, name: "axis 3" },
    ]);
    const board = boardOf(tiled, [null], 1);
    // Two tiles beside each other, with a gap of one cell: the right half of tile 0 and the left half of tile 1.
    expect(partInWords(tiled, board, { row: 0, column: 3, rows: 5, columns: 5 })).toBe(
      "Part of the picture: axis 1 (4) at 0, 1, some of them in part",
    );
  });

  it("brings a cell into view", () => {
    const closer = withCell(zoomed(WHOLE, 10, 0, 0, cells, room), 99, 150, cells, room);
    const { x, y, cellWidth, cellHeight } = placingOf(closer, cells, room);
    expect(x + 151 * cellWidth).toBeCloseTo(400);
    expect(y + 100 * cellHeight).toBeCloseTo(300);
  });
});

describe("samples", () => {
  const numbers = [3, NaN, 1, 3];
  const order = (text?: string) => orderedSamples(4, readSampleOrder(text), (sample) => numbers[sample]);

  it("are ordered by a statistic, those without it last", () => {
    expect(order()).toEqual([0, 1, 2, 3]);
    expect(order("std")).toEqual([2, 0, 3, 1]);
    expect(order("-std")).toEqual([0, 3, 2, 1]);
    expect(order("height")).toEqual([0, 1, 2, 3]);
  });
});
