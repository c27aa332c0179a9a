import { describe, expect, it } from "vitest";
import { pointOf, pointTexts } from "../../../src/page/story/points";
import { pointInWords } from "../../../src/page/story/words";

describe("a place on a curve", () => {
  it.each([
    [1200, "1200", "curve loss, step 1,200"],
    [136.000003, "after 136 (3)", "curve loss, after 136 (3)"],
    [-0.999999, "evaluation 1", "curve loss, evaluation 1"],
    [0.123456789, "0.123456789", "curve loss, step 0.1235"],
    [-7, "-7", "curve loss, step -7"],
  ])("%s is written %j and read again", (step, text, words) => {
    const point = { curve: "loss", step };
    expect(pointTexts(point)).toEqual({ kind: "curve", name: "loss", step: text });
    expect(pointOf({ kind: "curve", name: "loss", step: text })).toEqual(point);
    expect(pointInWords(point)).toBe(words);
  });

  it.each(["", " ", "x", "1e99", "after"])("is not %j", (step) => expect(pointOf({ kind: "curve", name: "loss", step })).toBeUndefined());
});
