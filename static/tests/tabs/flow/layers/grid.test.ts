import { describe, expect, it } from "vitest";
import { type LayerView, mostZoom, readLayerViews, usualView, writeLayerViews } from "../../../../src/state/tab_options/flow_layers";
import { readFlowOptions, USUAL, writeFlowOptions } from "../../../../src/state/tab_options/flow_options";
import {
  boxBetween,
  countSelected,
  elementsSelected,
  readFlowSelection,
  writeFlowSelection,
} from "../../../../src/state/tab_options/flow_selection";
import { gridOf, originOf } from "../../../../src/tabs/flow/layers/grid";
import { extentAroundZero, heatOf } from "../../../../src/tabs/flow/layers/heat";
import { latticeOf, latticeWith, placesOn } from "../../../../src/tabs/flow/layers/sublattice";
import { placeOfThreshold, THRESHOLD_PLACES, thresholdAt } from "../../../../src/tabs/flow/threshold";

const HERE = { row: 0, column: 0 };
const view = (changed: Partial<LayerView> = {}, shape: readonly number[] = [8, 8]): LayerView => ({ ...usualView(shape), ...changed });
const rowsOf = ({ rows, columns, elements }: { rows: number; columns: number; elements: Int32Array }): number[][] =>
  Array.from({ length: rows }, (_, row) => [...elements.subarray(row * columns, (row + 1) * columns)]);

describe("sub-lattices", () => {
  it("of 8 x 8 begin where vnittest has them", () => {
    const begins = (zoom: number): number[] =>
      Array.from({ length: 4 ** zoom }, (_, number) => latticeOf(number, zoom)).map(({ row, column }) => row * 8 + column);
    expect(begins(0)).toEqual([0]);
    expect(begins(1)).toEqual([0, 1, 8, 9]);
    expect(begins(2)).toEqual([0, 2, 1, 3, 16, 18, 17, 19, 8, 10, 9, 11, 24, 26, 25, 27]);
  });

  it("hold every cell once, also of sizes that do not divide", () => {
    for (const [height, width, zoom] of [
      [8, 8, 1],
      [8, 8, 3],
      [7, 5, 1],
      [7, 5, 2],
      [1, 3, 2],
    ] as const) {
      const seen = new Set<number>();
      for (let number = 0; number < 4 ** zoom; number++) {
        const { row, column, step } = latticeOf(number, zoom);
        for (let r = 0; r < placesOn(height, row, step); r++) {
          for (let c = 0; c < placesOn(width, column, step); c++) {
            const [down, right] = [row + r * step, column + c * step];
            expect(latticeWith(down, right, zoom)).toBe(number);
            seen.add(down * width + right);
          }
        }
      }
      expect(seen.size).toBe(height * width);
    }
  });

  it("are shown by the selected element: plane 3 of arange(64)", () => {
    const grid = gridOf([8, 8], view({ zoom: 1 }), HERE, null, [27]);
    expect([grid.lattice, grid.step]).toEqual([3, 2]);
    expect(rowsOf(grid)).toEqual([
      [9, 11, 13, 15],
      [25, 27, 29, 31],
      [41, 43, 45, 47],
      [57, 59, 61, 63],
    ]);
    expect([grid.cellOf(27), grid.cellOf(26), grid.cellOf(63)]).toEqual([5, -1, 15]);
    expect(rowsOf(gridOf([3, 3], view({ zoom: 1 }, [3, 3]), HERE, null, [4]))).toEqual([[4]]);
    expect(rowsOf(gridOf([3, 3], view({ zoom: 1 }, [3, 3]), HERE, null, []))).toEqual([
      [0, 2],
      [6, 8],
    ]);
    expect(mostZoom([8, 8])).toBe(2);
    expect([mostZoom([1, 1]), mostZoom([5]), mostZoom([]), mostZoom([0, 3])]).toEqual([0, 0, 0, 1]);
  });
});

describe("the cells of a layer", () => {
  it("of one dimension are a row, which is wrapped, and of none a cell", () => {
    expect(rowsOf(gridOf([3], view({}, [3]), HERE, null, []))).toEqual([[0, 1, 2]]);
    const long = gridOf([70], view({}, [70]), HERE, null, []);
    expect([long.rows, long.columns, long.elements[69], long.elements[70], long.cellOf(64)]).toEqual([2, 64, 69, -1, 64]);
    expect(rowsOf(gridOf([], view({}, []), HERE, null, []))).toEqual([[0]]);
    expect(gridOf([0, 3], view({}, [0, 3]), HERE, null, []).elements.length).toBe(0);
    expect(gridOf([0], view({}, [0]), HERE, null, []).elements.length).toBe(0);
  });

  const shape = [3, 2, 2];
  const values = Float32Array.of(1, -5, 0, 2, 3, 4, NaN, 1, -4, 1, 9, -3);

  it("show one channel, the strongest, or all side by side", () => {
    expect(rowsOf(gridOf(shape, view({ page: [1] }, shape), HERE, values, []))).toEqual([
      [4, 5],
      [6, 7],
    ]);
    expect(rowsOf(gridOf(shape, view({ page: ["strongest"] }, shape), HERE, values, []))).toEqual([
      [8, 1],
      [6, 11],
    ]);
    // What is selected is seen where it is.
    const grid = gridOf(shape, view({ page: ["strongest"] }, shape), HERE, values, [4]);
    expect(rowsOf(grid)).toEqual([
      [4, 1],
      [6, 11],
    ]);
    expect([grid.cellOf(0), grid.cellOf(8), grid.cellOf(3)]).toEqual([0, 0, 3]);
    expect([grid.elementsAt(0), grid.elementsAt(3), grid.elementsAt(-1)]).toEqual([[0, 4, 8], [3, 7, 11], []]);
    expect(gridOf(shape, view({ page: [1] }, shape), HERE, values, []).elementsAt(2)).toEqual([6]);
    const all = gridOf(shape, view({ page: ["all"] }, shape), HERE, values, []);
    expect([all.elementsAt(4), all.elementsAt(2)]).toEqual([[5], []]);
    expect(rowsOf(all)).toEqual([
      [0, 1, -1, 4, 5],
      [2, 3, -1, 6, 7],
      [-1, -1, -1, -1, -1],
      [8, 9, -1, -1, -1],
      [10, 11, -1, -1, -1],
    ]);
    expect([all.cellOf(7), all.cellOf(10)]).toEqual([9, 20]);
    expect(gridOf(shape, view({ page: [1] }, shape), HERE, values, []).cellOf(0)).toBe(-1);
  });

  it("of more dimensions are shown by pages", () => {
    const deep = [2, 3, 2, 2];
    expect(rowsOf(gridOf(deep, view({ page: [1, 2] }, deep), HERE, null, []))).toEqual([
      [20, 21],
      [22, 23],
    ]);
    expect(gridOf(deep, view({ page: [1, 2] }, deep), HERE, null, []).cellOf(20)).toBe(0);
    expect(gridOf(deep, view({ page: [1, 2] }, deep), HERE, null, []).cellOf(8)).toBe(-1);
  });

  it("are moved, so that layers of different padding line up, and none is lost", () => {
    const views = [view({ rowOffset: 1 }, [2, 2]), view({ columnOffset: -1 }, [2, 2])];
    const origin = originOf(views);
    expect(origin).toEqual({ row: 0, column: -1 });
    const [down, left] = views.map((view) => gridOf([2, 2], view, origin, null, []));
    expect(rowsOf(down!)).toEqual([
      [-1, -1, -1],
      [-1, 0, 1],
      [-1, 2, 3],
    ]);
    expect(rowsOf(left!)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect([down!.cellOf(0), left!.cellOf(3)]).toEqual([4, 3]);
  });

  it("are the nine neighbours of each cell, with nothing beyond the rim", () => {
    const nine = [9, 2, 3];
    const channel = (page: number | "strongest" | "all", numbers: Float32Array | null = null) =>
      gridOf(nine, view({ page: [page], neighbours: true }, nine), HERE, numbers, []);
    // Channel 0 belongs to the cell above and to the left, channel 5 to that on the right.
    expect(rowsOf(channel(4))).toEqual([
      [24, 25, 26],
      [27, 28, 29],
    ]);
    expect(rowsOf(channel(0))).toEqual([
      [4, 5, -1],
      [-1, -1, -1],
    ]);
    expect(rowsOf(channel(5))).toEqual([
      [-1, 30, 31],
      [-1, 33, 34],
    ]);
    expect([channel(0).cellOf(4), channel(0).cellOf(0), channel(5).cellOf(30)]).toEqual([0, -1, 1]);
    // All nine overlaid: at every cell the one with the largest magnitude that belongs there.
    const numbers = new Float32Array(54).fill(0.1);
    numbers[4] = -7;
    numbers[30] = 8;
    expect(channel("strongest", numbers).elements[0]).toBe(4);
    expect(channel("strongest", numbers).elements[1]).toBe(30);
    // All channels that have an element there.
    expect(channel("strongest").elementsAt(0)).toEqual([4, 9, 19, 24]);
    expect([channel("all").rows, channel("all").columns]).toEqual([8, 11]);
  });
});

describe("the selection", () => {
  it("is a box in the address, and read with distrust", () => {
    const shape = [4, 6, 6];
    const box = boxBetween(2, shape, 36 + 6 + 4, 36 + 18 + 2);
    expect(writeFlowSelection(box)).toBe("2:1,1-3,2-4");
    expect(elementsSelected(box, shape)).toEqual([44, 45, 46, 50, 51, 52, 56, 57, 58]);
    expect(writeFlowSelection(boxBetween(0, shape, 0, 14, 2))).toBe("0:0,0-2/2,0-2/2");
    expect(elementsSelected(boxBetween(0, shape, 0, 14, 2), shape)).toEqual([0, 2, 12, 14]);
    const shapes = [shape, [], shape];
    expect(readFlowSelection("2:1,1-3,2-4", shapes)).toEqual(box);
    expect(countSelected(readFlowSelection("1:", shapes)!)).toBe(1);
    for (const text of [
      undefined,
      "",
      "3:0",
      "2:1,1",
      "2:1,1,6",
      "2:4,0,0",
      "2:0,3-1,0",
      "2:0,0-3/0,0",
      "2:0,0,-1",
      "x:0",
      "0:9999999999999,0,0",
      "2:0,0,0,0",
    ]) {
      expect(readFlowSelection(text, shapes), text).toBeNull();
    }
    expect(readFlowSelection("0:0-999999999", [[1_000_000_000]])).toBeNull();
    expect(readFlowSelection("0:0,0", [[0, 3]])).toBeNull();
  });
});

describe("options in the address", () => {
  it("are as short as they can be, and read again", () => {
    expect(writeFlowOptions(USUAL)).toBeNull();
    const options = { sample: 2, threshold: 0.00125, sign: "negative", strongest: 100, coloring: "values" } as const;
    expect(writeFlowOptions(options)).toBe("s2,t0.00125,negative,k100,values");
    expect(readFlowOptions("s2,t0.00125,negative,k100,values")).toEqual(options);
    expect(readFlowOptions(writeFlowOptions({ ...options, threshold: 1.5e-9 })!).threshold).toBe(1.5e-9);
    expect(readFlowOptions("t-1,k33,sideways,s1e9,tNaN")).toEqual(USUAL);
  });

  it("of layers are one part each", () => {
    const shapes = [[4, 6, 6], [5], [9, 4, 4]];
    const usual = shapes.map(usualView);
    expect(writeLayerViews(usual, shapes)).toBeNull();
    const views: LayerView[] = [
      { ...usual[0]!, page: [3], zoom: 1 },
      usual[1]!,
      { page: ["all"], rowOffset: 1, columnOffset: -2, zoom: 0, neighbours: true },
    ];
    expect(writeLayerViews(views, shapes)).toBe("3_z1;;*_r1_c-2_n");
    expect(readLayerViews("3_z1;;*_r1_c-2_n", shapes)).toEqual(views);
    expect(readLayerViews("9_z99_r1e5;n;x_rr", shapes)).toEqual([
      { ...usual[0]!, page: [0], zoom: 2 },
      usual[1]!,
      { ...usual[2]!, page: [0] },
    ]);
    expect(readLayerViews(undefined, shapes)).toEqual(usual);
  });

  it("have thresholds from zero to the largest flow", () => {
    expect([thresholdAt(0, 8), thresholdAt(THRESHOLD_PLACES, 8), thresholdAt(100, 8), thresholdAt(1, 0)]).toEqual([0, 8, 0.8, 0]);
    for (let place = 0; place <= THRESHOLD_PLACES; place++) {
      expect(placeOfThreshold(thresholdAt(place, 0.037), 0.037)).toBe(place);
    }
    expect([placeOfThreshold(100, 8), placeOfThreshold(1e-30, 8), placeOfThreshold(1, 0)]).toEqual([THRESHOLD_PLACES, 1, 0]);
  });
});

describe("the colours of a layer", () => {
  const [values, gradients, flow] = [Float32Array.of(1), Float32Array.of(2), Float32Array.of(3)];

  it("are what is asked for, or what is known", () => {
    expect(heatOf("flow", { values, gradients }, flow)).toEqual({ what: "flow", numbers: flow });
    expect(heatOf("flow", { values, gradients }, null).what).toBe("gradient");
    expect(heatOf("values", { values, gradients }, flow).what).toBe("activation");
    expect(heatOf("values", { values: null, gradients }, flow).what).toBe("gradient");
    expect(heatOf("gradients", { values, gradients: undefined }, null).what).toBe("activation");
    expect(heatOf("gradients", { values: null, gradients: null }, null)).toEqual({ what: "nothing", numbers: null });
  });

  it("reach as far below zero as above it, by the finite numbers", () => {
    expect(extentAroundZero(Float32Array.of(0.5, -2, NaN, Infinity, -Infinity))).toEqual({ low: -2, high: 2 });
    expect(extentAroundZero(null)).toEqual({ low: -0, high: 0 });
  });
});
