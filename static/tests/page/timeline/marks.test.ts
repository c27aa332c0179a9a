import { expect, it } from "vitest";
import { EVALUATION, mergedTicks, TRAINING, type TypeLook } from "../../../src/page/timeline/marks";

const train: TypeLook = { name: "train", row: TRAINING, color: 0 };
const other: TypeLook = { name: "warm-up", row: TRAINING, color: 2 };
const evaluation: TypeLook = { name: "eval", row: EVALUATION, color: 1 };

it("joins steps at the same pixel of a row", () => {
  const marks = [
    { x: 3.4, look: train, isOffered: true },
    { x: 2.6, look: other, isOffered: true },
    { x: 3, look: evaluation, isOffered: true },
    { x: 9, look: train, isOffered: true },
  ];
  expect(mergedTicks(marks, 10)).toEqual([
    { x: 3, row: TRAINING, color: 0, isOffered: true },
    { x: 9, row: TRAINING, color: 0, isOffered: true },
    { x: 3, row: EVALUATION, color: 1, isOffered: true },
  ]);
});

it("shows the step that can be selected, in any order", () => {
  const both = [
    { x: 5, look: train, isOffered: false },
    { x: 5, look: other, isOffered: true },
  ];
  expect(mergedTicks(both, 10)).toEqual([{ x: 5, row: TRAINING, color: 2, isOffered: true }]);
  expect(mergedTicks([...both].reverse(), 10)).toEqual([{ x: 5, row: TRAINING, color: 2, isOffered: true }]);
});

it("draws a hundred thousand steps as one tick for each pixel", () => {
  const marks = Array.from({ length: 100_000 }, (_, k) => ({ x: k / 100, look: train, isOffered: true }));
  expect(mergedTicks(marks, 1000).map(({ x }) => x)).toEqual(Array.from({ length: 1001 }, (_, k) => k));
});
