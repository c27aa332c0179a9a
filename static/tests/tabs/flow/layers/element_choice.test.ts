import { describe, expect, it } from "vitest";
import type { Flow } from "../../../../src/data/records/flows";
import { usualView } from "../../../../src/state/tab_options/flow_layers";
import { elementsSelected } from "../../../../src/state/tab_options/flow_selection";
import { atCellOf, boxAt, meantBy } from "../../../../src/tabs/flow/layers/element_choice";
import { gridOf } from "../../../../src/tabs/flow/layers/grid";

// Two channels of 2 x 2 cells; the second is the stronger one at the last cell.
const SHAPE = [2, 2, 2];
const VALUES = Float32Array.from([1, 2, 3, 4, 0, -1, NaN, -9]);
const GRID = gridOf(SHAPE, usualView(SHAPE), { row: 0, column: 0 }, VALUES, []);
const FLOW = {} as Flow;

function meant(element: number, withFlows: readonly number[], numbers: Float32Array | null = VALUES) {
  const flows = {
    haveFlows: async (_: Flow, _layer: number, _sample: number, asked: readonly number[]) => asked.map((k) => withFlows.includes(k)),
  };
  return meantBy(flows, { flow: FLOW, layer: 0, sample: 0, grid: GRID, numbers }, element);
}

describe("what a click on a cell of several channels means", () => {
  it("is the element that is shown, if it has flows", async () => {
    expect(await meant(3, [3, 7])).toEqual({ element: 3, hasFlows: true });
  });

  it("is another channel of that cell otherwise", async () => {
    expect(await meant(3, [7])).toEqual({ element: 7, hasFlows: true });
    expect(await meant(6, [2], null)).toEqual({ element: 2, hasFlows: true });
  });

  it("is the element itself if nothing at its cell has flows", async () => {
    expect(await meant(3, [0, 1, 2, 4, 5, 6])).toEqual({ element: 3, hasFlows: false });
  });
});

it("takes NaN for the strongest, and of equal ones the first", async () => {
  // At the cell of element 2 lie elements 2 and 6; a third and a fourth channel are there too.
  const shape = [4, 2, 2];
  const numbers = Float32Array.from([1, 2, 3, 4, 0, -1, NaN, -9, 0, 0, 5, 0, 0, 0, -5, 0]);
  const grid = gridOf(shape, usualView(shape), { row: 0, column: 0 }, numbers, []);
  const among = (...withFlows: number[]) => {
    const flows = {
      haveFlows: async (_: Flow, _layer: number, _sample: number, asked: readonly number[]) => asked.map((k) => withFlows.includes(k)),
    };
    return meantBy(flows, { flow: FLOW, layer: 0, sample: 0, grid, numbers }, 2);
  };
  expect([(await among(6, 10, 14)).element, (await among(14, 10)).element, (await among(14)).element]).toEqual([6, 10, 14]);
});

describe("a box between two cells", () => {
  it("lies in the channel of the first", () => {
    expect(atCellOf(GRID, SHAPE, 7, 0)).toBe(3);
    expect(atCellOf(GRID, SHAPE, 3, 4)).toBe(7);
    // On a grid without the cell, it is the same place in the channel.
    const elsewhere = { ...GRID, elementsAt: () => [] };
    expect([atCellOf(elsewhere, SHAPE, 7, 0), atCellOf(elsewhere, SHAPE, 1, 6)]).toEqual([3, 5]);
    expect(elementsSelected(boxAt(0, SHAPE, GRID, { from: 0, to: 7 }), SHAPE)).toEqual([0, 1, 2, 3]);
    expect(elementsSelected(boxAt(0, SHAPE, GRID, { from: 5, to: 3 }), SHAPE)).toEqual([5, 7]);
  });
});
