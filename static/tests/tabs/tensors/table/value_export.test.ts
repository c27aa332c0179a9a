import { describe, expect, it } from "vitest";
import { fileName, npyFile } from "../../../../src/data/arrays/npy";
import { type Order, readOrder, sortedPlaces } from "../../../../src/tabs/tensors/table/sort_order";
import { csvText, numpyText } from "../../../../src/tabs/tensors/table/values_text";
import { atOnce } from "../../../../src/ui/scheduling/time_slices";
import { exactText } from "../../../../src/ui/text/format";
import { gathered } from "../../../support/values_fixture";

describe("sorting", () => {
  const values = [3, -1, NaN, 0, -Infinity, 3, -0, Infinity, -7];
  const sorted = (order: Order, dtype: "F32" | "F64") => [...atOnce(sortedPlaces(gathered(dtype, values), order))];

  it.each(["F32", "F64"] as const)("of %s puts NaN last and keeps the order of equal values", (dtype) => {
    expect(sorted("ascending", dtype)).toEqual([4, 8, 1, 3, 6, 0, 5, 7, 2]);
    expect(sorted("descending", dtype)).toEqual([7, 0, 5, 3, 6, 1, 8, 4, 2]);
    expect(sorted("magnitude", dtype)).toEqual([4, 7, 8, 0, 5, 1, 3, 6, 2]);
  });

  it("agrees with a comparing sort", () => {
    let state = 1;
    const many = Array.from({ length: 5000 }, () => ((state = (state * 16807) % 2147483647) / 2 ** 31 - 0.5) ** 3);
    const places = many.map((_, k) => k);
    expect([...atOnce(sortedPlaces(gathered("F64", many), "ascending"))]).toEqual([...places].sort((a, b) => many[a]! - many[b]! || a - b));
    expect([...atOnce(sortedPlaces(gathered("F64", many), "magnitude"))]).toEqual(
      [...places].sort((a, b) => Math.abs(many[b]!) - Math.abs(many[a]!) || a - b),
    );
  });

  it("tells integers apart that are the same as floats", () => {
    const integers = gathered("I64", [2n ** 62n + 1n, 2n ** 62n, -(2n ** 63n), 5n, -(2n ** 62n) - 2n]);
    expect([...atOnce(sortedPlaces(integers, "ascending"))]).toEqual([2, 4, 3, 1, 0]);
    expect([...atOnce(sortedPlaces(integers, "descending"))]).toEqual([0, 1, 3, 4, 2]);
    expect([...atOnce(sortedPlaces(integers, "magnitude"))]).toEqual([2, 4, 0, 1, 3]);
    expect([...atOnce(sortedPlaces(gathered("U64", [2n ** 64n - 1n, 0n, 2n ** 63n]), "ascending"))]).toEqual([1, 2, 0]);
  });

  it("is asked for in the address", () => {
    expect([readOrder("magnitude"), readOrder("random"), readOrder(undefined)]).toEqual(["magnitude", null, null]);
  });
});

describe("text", () => {
  const at = (values: (number | bigint)[]) => (k: number) => values[k]!;

  it("gives every number back", () => {
    expect(exactText(Math.fround(0.1), "F32")).toBe("0.1");
    for (const value of [1 / 3, 1e-40, 3.4028234663852886e38, -16777217.5, 1.1754943508222875e-38]) {
      expect(Math.fround(Number(exactText(Math.fround(value), "F32")))).toBe(Math.fround(value));
    }
    expect(exactText(0.1 + 0.2, "F64")).toBe("0.30000000000000004");
    expect(exactText(2n ** 63n - 1n, "I64")).toBe("9223372036854775807");
    expect(exactText(-0, "F32")).toBe("-0.0");
  });

  it("as CSV names the axes, and keeps the order of the rows", () => {
    expect(csvText(at([1.5, NaN, -Infinity, 4]), [2, 0, 1, 3], ["axis_1", "axis_2"], [2, 2], "F32")).toBe(
      "axis_1,axis_2,value\n1,0,-inf\n0,0,1.5\n0,1,nan\n1,1,4\n",
    );
    expect(csvText(at([7]), [0], [], [], "I64")).toBe("value\n7\n");
  });

  it("for NumPy has shape and dtype", () => {
    expect(numpyText(at([1.5, NaN, Infinity, -Infinity]), [2, 2], "F32")).toBe(
      "np.array([[1.5, np.nan],\n          [np.inf, -np.inf]], dtype=np.float32)",
    );
    expect(numpyText(at([1, 0]), [2], "BOOL")).toBe("np.array([True, False], dtype=np.bool_)");
    expect(numpyText(at([2n ** 63n - 1n]), [], "I64")).toBe("np.array(9223372036854775807, dtype=np.int64)");
    expect(numpyText(at([]), [0, 3], "BF16")).toBe("np.empty((0, 3), dtype=np.float32)");
  });
});

describe("a .npy file", () => {
  const headerOf = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

  it("begins with a header of a multiple of 64 bytes", () => {
    const [header, data] = npyFile(gathered("F32", [1, 2, 3, 4, 5, 6]).bytes, "F32", [2, 3]);
    expect(header!.length % 64).toBe(0);
    const text = headerOf(header!);
    expect(text.slice(0, 8)).toBe("\u0093NUMPY\u0001\u0000");
    expect(header![8]! + 256 * header![9]!).toBe(header!.length - 10);
    expect(text.slice(10).trimEnd()).toBe("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    expect(text.endsWith(" \n")).toBe(true);
    expect(data).toHaveLength(24);
  });

  it.each([
    [[], "()"],
    [[5], "(5,)"],
    [[1, 2, 3], "(1, 2, 3)"],
  ] as const)("writes the shape %j as Python does", (shape, text) => {
    expect(headerOf(npyFile(new Uint8Array(0), "U8", shape)[0]!)).toContain(`'shape': ${text}, }`);
  });

  it("keeps integers of 64 bits, and widens bfloat16", () => {
    const [, exact] = npyFile(gathered("I64", [2n ** 63n - 1n]).bytes, "I64", [1]);
    expect(new BigInt64Array(exact!.buffer)[0]).toBe(2n ** 63n - 1n);
    const [header, wide] = npyFile(gathered("BF16", [0x3f80, 0x7f80, 0xc040]).bytes, "BF16", [3]);
    expect(headerOf(header!)).toContain("'<f4'");
    expect([...new Float32Array(wide!.buffer)]).toEqual([1, Infinity, -3]);
    expect([...npyFile(Uint8Array.of(0, 1, 7), "BOOL", [3])[1]!]).toEqual([0, 1, 1]);
  });

  it("has a name that every system takes", () => {
    expect(fileName(["a/b:c", "sample_0"], "npy")).toBe("a_b_c-sample_0.npy");
    expect(fileName(["../../.."], "npy")).toBe("values.npy");
    expect(fileName(["x".repeat(500)], "npy").length).toBeLessThan(130);
  });
});
