import { expect, it } from "vitest";
import { lettersOf } from "../../../src/page/story/words";

it("letters of figures are all different", () => {
  expect([0, 1, 25, 26, 27, 51, 52, 701, 702].map(lettersOf)).toEqual(["a", "b", "z", "aa", "ab", "az", "ba", "zz", "aaa"]);
  expect(new Set(Array.from({ length: 1000 }, (_, place) => lettersOf(place))).size).toBe(1000);
});
