import { describe, expect, it } from "vitest";
import { bfloatToNumber, elementType, halfToNumber } from "../../../src/data/arrays/numbers";

function read(dtype: string, ...bytes: number[]) {
  return elementType(dtype).read(new DataView(Uint8Array.from(bytes).buffer), 0);
}

describe("numbers", () => {
  it.each([
    [0x0000, 0],
    [0x3c00, 1],
    [0xc000, -2],
    [0x7bff, 65504],
    [0x0001, 2 ** -24],
    [0x03ff, 1023 * 2 ** -24],
    [0x0400, 2 ** -14],
    [0x3555, 0.333251953125],
    [0x7c00, Infinity],
    [0xfc00, -Infinity],
    [0x7e00, NaN],
  ])("reads the half %i", (bits, value) => expect(halfToNumber(bits)).toBe(value));

  it("keeps the sign of a half's zero", () => expect(Object.is(halfToNumber(0x8000), -0)).toBe(true));

  it.each([
    [0x3f80, 1],
    [0xc040, -3],
    [0x3eab, 0.333984375],
    [0x7f80, Infinity],
    [0x7fc0, NaN],
  ])("reads the bfloat %i", (bits, value) => expect(bfloatToNumber(bits)).toBe(value));

  it("reads integers of every width, least byte first", () => {
    expect(read("U8", 0xff)).toBe(255);
    expect(read("I8", 0xff)).toBe(-1);
    expect(read("U16", 0x01, 0x02)).toBe(0x0201);
    expect(read("I16", 0xff, 0xff)).toBe(-1);
    expect(read("U32", 0, 0, 0, 0x80)).toBe(2 ** 31);
    expect(read("I32", 0, 0, 0, 0x80)).toBe(-(2 ** 31));
    expect(read("BOOL", 1)).toBe(1);
  });

  it("reads 64-bit integers exactly, as bigint only where a number cannot", () => {
    expect(read("I64", 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)).toBe(-1);
    expect(read("U64", 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)).toBe(18446744073709551615n);
    expect(read("I64", 0x01, 0, 0, 0, 0, 0, 0x20, 0)).toBe(9007199254740993n);
  });

  it("reads floats", () => {
    expect(read("F32", 0, 0, 0x80, 0x3f)).toBe(1);
    expect(read("F64", 0, 0, 0, 0, 0, 0, 0xf0, 0x3f)).toBe(1);
  });

  it.each(["F8_E4M3", "", "constructor", "__proto__"])("refuses the dtype %j", (dtype) => {
    expect(() => elementType(dtype)).toThrow("unknown type");
  });
});
