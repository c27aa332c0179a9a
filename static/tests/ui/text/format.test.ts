import { describe, expect, it } from "vitest";
import {
  brief,
  byteSize,
  elided,
  exactText,
  grouped,
  indexText,
  nodeLabel,
  numberText,
  placeOfIndex,
  roleLabel,
  sentence,
  shapeText,
  share,
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
    [0.25, "F32", "0.2500", "0.25"],
    [Math.fround(-12345.678), "F32", "-12346", "-12345.678"],
    [Math.fround(6.7e-4), "F32", "6.700e-4", "0.00067"],
    [0.0012345678, "F64", "0.001235", "0.0012345678"],
    [9.99996, "F64", "10.00", "9.99996"],
    [Math.fround(-999.96), "F32", "-1000", "-999.96"],
    [999999.6, "F64", "1000000", "999999.6"],
    [2500, "F32", "2500", "2500"],
    [0, "F32", "0", "0"],
    [-0, "F32", "-0", "-0.0"],
    [1e-12, "F64", "1.000e-12", "1e-12"],
    [1234567, "F32", "1.235e+6", "1234567"],
    [1234567, "I32", "1234567", "1234567"],
    [1, "BOOL", "1", "1"],
    [NaN, "F32", "NaN", "NaN"],
    [Infinity, "F32", "+inf", "+inf"],
    [-Infinity, "I32", "-inf", "-inf"],
    [18446744073709551615n, "U64", "18446744073709551615", "18446744073709551615"],
  ])("%s of %s as %s, and as %s with all digits", (value, dtype, text, exact) => {
    expect(numberText(value, dtype)).toBe(text);
    expect(exactText(value, dtype)).toBe(exact);
  });

  it("have percents where a count has a whole", () => {
    expect([0, 3, 12, 13].map((count) => share(count, 12))).toEqual(["0", "3 (25 %)", "12 (100 %)", "13"]);
    expect([1, 99_999].map((count) => share(count, 100_000))).toEqual(["1 (< 0.1 %)", "99,999 (> 99.9 %)"]);
    expect([share(3, null), share(0, 0), share(5n, 10)]).toEqual(["3", "0", "5 (50 %)"]);
  });

  it("are brief in sentences", () => {
    expect([0, 1.5, 1234.5678, 123456, 0.00001, 6.7e-4, 0.000123, 1e9, NaN, -Infinity].map(brief)).toEqual([
      "0",
      "1.5",
      "1235",
      "123456",
      "1e-5",
      "6.7e-4",
      "1.23e-4",
      "1e+9",
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
