import { describe, expect, it } from "vitest";
import {
  brief,
  byteSize,
  elided,
  fixed,
  grouped,
  indexText,
  nodeLabel,
  placeOfIndex,
  readable,
  roleLabel,
  scientific,
  sentence,
  shapeText,
  withStop,
} from "../../../src/ui/text/format";

describe("sentences", () => {
  it.each([
    ["17 other tensors too", "17 other tensors too.", "17 other tensors too."],
    ["is it?", "is it?", "Is it?"],
    ["", "", ""],
  ])("end once: %s", (text, stopped, whole) => {
    expect(withStop(text)).toBe(stopped);
    expect(sentence(text)).toBe(whole);
  });
});

describe("numbers as text", () => {
  it.each([
    [0.25, "F32", "0.250000", "2.500000e-01"],
    [-12345.678, "F32", "-12345.678000", "-1.234568e+04"],
    [0, "F32", "0", "0.000000e+00"],
    [-0, "F32", "-0", "0.000000e+00"],
    [1e-12, "F32", "0.000000", "1.000000e-12"],
    [1e20, "F32", "1.000000e+20", "1.000000e+20"],
    [3, "I64", "3", "3.000000e+00"],
    [1, "BOOL", "1", "1.000000e+00"],
    [0.5, "F16", "0.500000", "5.000e-01"],
    [0.5, "BF16", "0.500000", "5.00e-01"],
    [Math.PI, "F64", "3.141593", "3.141592654e+00"],
    [1e-300, "F64", "0.000000", "1.000000000e-300"],
    [NaN, "F32", "NaN", "NaN"],
    [Infinity, "F32", "+inf", "+inf"],
    [-Infinity, "I32", "-inf", "-inf"],
    [18446744073709551615n, "U64", "18446744073709551615", "1.844674e+19"],
  ])("%s as %s", (value, dtype, inFixed, inScientific) => {
    expect(fixed(value, dtype)).toBe(inFixed);
    expect(scientific(value, dtype)).toBe(inScientific);
  });

  it("show digits however small they are where there is one notation only", () => {
    expect([0.25, -1e-10, 0.0009, 0.001, 0, NaN].map((value) => readable(value, "F32"))).toEqual([
      "0.250000",
      "-1.000000e-10",
      "9.000000e-04",
      "0.001000",
      "0",
      "NaN",
    ]);
    expect(readable(3, "I64")).toBe("3");
  });

  it("are brief in sentences", () => {
    expect([0, 1.5, 1234.5678, 0.00001, 1e9, NaN, -Infinity].map(brief)).toEqual([
      "0",
      "1.5",
      "1234.6",
      "1.000e-5",
      "1.000e+9",
      "NaN",
      "-inf",
    ]);
  });

  it("are grouped by thousands", () => {
    expect([0, 999, 1000, 1234567].map(grouped)).toEqual(["0", "999", "1,000", "1,234,567"]);
    expect(byteSize(999)).toBe("999 bytes");
    expect(byteSize(4_194_304)).toBe("4.19 MB");
  });
});

describe("indices", () => {
  it("count the last dimension first", () => {
    expect([0, 1, 4, 5, 19, 39].map((k) => indexText(k, [2, 4, 5]))).toEqual([
      "0, 0, 0",
      "0, 0, 1",
      "0, 0, 4",
      "0, 1, 0",
      "0, 3, 4",
      "1, 3, 4",
    ]);
    expect(indexText(7, [10])).toBe("7");
    expect(indexText(0, [])).toBe("");
  });

  it("are found again", () => {
    for (let k = 0; k < 60; k++) {
      expect(placeOfIndex(indexText(k, [3, 4, 5]), [3, 4, 5])).toBe(k);
    }
    expect(placeOfIndex(" 1,2 3 ", [3, 4, 5])).toBe(33);
  });

  it.each(["", "1", "1, 2", "1, 2, 5", "3, 0, 0", "-1, 0, 0", "a, b, c", "1.5, 0, 0", "0, 0, 0, 0"])(
    "that do not exist are refused: %j",
    (text) => {
      expect(placeOfIndex(text, [3, 4, 5])).toBeNull();
    },
  );
});

describe("names", () => {
  it("say what comes from earlier", () => {
    expect(nodeLabel("memory*old")).toBe("memory (earlier)");
    expect(nodeLabel("memory")).toBe("memory");
    expect(roleLabel("h__from_iteration_12")).toBe("h (from iteration 12)");
    expect(roleLabel("h__from_initialization")).toBe("h (initial value)");
  });

  it("are shortened in their middle", () => {
    expect(elided("abcdefghij", 10)).toBe("abcdefghij");
    expect(elided("abcdefghijk", 7)).toBe("abc\u2026ijk");
    expect(elided("abcdefghijk", 6)).toBe("ab\u2026ijk");
  });

  it("shapes of single numbers are called so", () => {
    expect(shapeText([])).toBe("scalar");
    expect(shapeText([2, 3])).toBe("2 \u00d7 3");
  });
});
