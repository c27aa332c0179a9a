import { describe, expect, it } from "vitest";
import { ForeignDataError } from "../../../src/importers/pickles/errors";
import { readNpy } from "../../../src/importers/pickles/npy";
import { NumpyArray } from "../../../src/importers/pickles/numpy_array";
import { readPickle } from "../../../src/importers/pickles/pickle";
import { PickledDict, PickledTuple } from "../../../src/importers/pickles/pickle_globals";
import fixture from "../../support/pickles.json";

/** What Python has written: `tests/support/importers/pickles_for_the_page.py` makes it anew. */
const { pickles, hostile, arrays } = fixture as {
  pickles: { name: string; data: string; expected: unknown }[];
  hostile: Record<string, string>;
  arrays: { name: string; data: string; expected: unknown }[];
};

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64, "base64"));
}

function text(written: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(written, (letter) => letter.charCodeAt(0));
}

/** As the fixture says it. */
function plain(value: unknown): unknown {
  if (value instanceof NumpyArray) {
    return { shape: [...value.shape], numbers: [...value.numbers()].map((number) => said(number)) };
  }
  if (value instanceof PickledTuple) {
    return { tuple: value.members.map(plain) };
  }
  if (value instanceof PickledDict) {
    return { items: value.items.map(([key, member]) => [plain(key), plain(member)]) };
  }
  return Array.isArray(value) ? value.map(plain) : typeof value === "bigint" ? { integer: String(value) } : value;
}

function said(number: number): string {
  if (!Number.isFinite(number)) {
    return Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
  }
  return `${Object.is(number, -0) ? "-" : ""}${number}${Number.isInteger(number) ? ".0" : ""}`;
}

describe("pickles that Python writes", () => {
  it.each(pickles)("$name", ({ data, expected }) => {
    expect(plain(readPickle(bytes(data), "x.pkl"))).toEqual(expected);
  });
});

describe("hostile pickles", () => {
  it.each(Object.entries(hostile))("%s", (_, data) => {
    expect(() => readPickle(bytes(data), "x.pkl")).toThrow(ForeignDataError);
    expect(() => readPickle(bytes(data), "x.pkl")).toThrow(/^x\.pkl is not read: at byte \d+, /);
  });

  it("refuses a list in a list in a list, a hundred thousand deep", () => {
    expect(() => readPickle(text(`${"]".repeat(1e5)}${"a".repeat(1e5 - 1)}.`), "x.pkl")).toThrow("within one another");
  });

  it("says what was named, and where", () => {
    expect(() => readPickle(text("cos\nsystem\n(S'x'\ntR."), "x.pkl")).toThrow("at byte 0, it names os.system, and only numpy arrays");
    expect(() => readPickle(text("ctorch._utils\n_rebuild_tensor_v2\n."), "x.pkl")).toThrow(".numpy()");
  });

  it("reads or refuses any change of a byte, with an error of ours", () => {
    const { data } = pickles.find(({ name }) => name === "dicts, protocol 4")!;
    const whole = bytes(data);
    for (let at = 0; at < whole.length; at++) {
      for (const value of [0, 40, 82, 98, 127, 255]) {
        const changed = whole.slice();
        changed[at] = value;
        try {
          readPickle(changed, "x.pkl");
        } catch (error) {
          expect(error).toBeInstanceOf(ForeignDataError);
        }
      }
    }
  });
});

describe("arrays that numpy saves", () => {
  it.each(arrays)("$name", ({ data, expected }) => {
    expect(plain(readNpy(bytes(data), "x.npy"))).toEqual(expected);
  });

  it("keeps the bytes of integers that are too large for a number", () => {
    const array = readNpy(text(`${header("'descr': '>u8', 'fortran_order': False, 'shape': (1,), ") + "\xff".repeat(7)}\xfe`), "x.npy");
    expect([...array.littleEndianBytes()]).toEqual([254, 255, 255, 255, 255, 255, 255, 255]);
  });

  it.each([
    ["", "numpy.save"],
    ["PK\x03\x04aaaaaaaaaaaa", "numpy.save"],
    ["\x93NUMPY\x03\x00\x00\x00\x00\x00\x00\x00", "version 3"],
    ["\x93NUMPY\x01\x00\xff\xff{'descr'", "plain numbers"],
    [header("'descr': '|O', 'fortran_order': False, 'shape': (1,), "), "plain numbers"],
    [header("'descr': '<c8', 'fortran_order': False, 'shape': (1,), ") + "\0".repeat(8), "c8"],
    [header("'descr': '<f4', 'fortran_order': False, 'shape': (2,), ") + "\0".repeat(7), "7 bytes; it may have been cut off"],
    [header("'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), "), "shape"],
  ])("refuses %j", (written, words) => {
    expect(() => readNpy(text(written), "x.npy")).toThrow(ForeignDataError);
    expect(() => readNpy(text(written), "x.npy")).toThrow(words);
  });
});

function header(members: string): string {
  const dict = `{${members}}\n`;
  return `\x93NUMPY\x01\x00${String.fromCharCode(dict.length)}\x00${dict}`;
}
