import { expect, it } from "vitest";
import { DIRECTIONS, nextValue } from "../../../src/kits/heatmap/cell_walk";

// Two tiles of 2 x 2 cells with a column between them that has no values.
const ROWS = [
  [0, 1, -1, 4, 5],
  [2, 3, -1, 6, 7],
];
const next = (row: number, column: number, key: string) =>
  nextValue({ rows: 2, columns: 5 }, { row, column }, DIRECTIONS[key]!, (r, c) => ROWS[r]![c]!);

it("goes to the next cell in the direction of the key", () => {
  expect([next(0, 0, "ArrowRight"), next(0, 0, "ArrowDown"), next(1, 1, "ArrowLeft"), next(1, 1, "ArrowUp")]).toEqual([1, 2, 2, 1]);
});

it("goes past cells without a value, and nowhere at the border", () => {
  expect([next(0, 1, "ArrowRight"), next(1, 3, "ArrowLeft")]).toEqual([4, 3]);
  expect([next(0, 0, "ArrowUp"), next(0, 0, "ArrowLeft"), next(1, 4, "ArrowDown"), next(1, 4, "ArrowRight")]).toEqual([-1, -1, -1, -1]);
});
