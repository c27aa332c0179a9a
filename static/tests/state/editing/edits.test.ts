import { describe, expect, it } from "vitest";
import { numberToHalf, typedValue, writerOf } from "../../../src/data/arrays/number_encoding";
import { elementType, halfToNumber } from "../../../src/data/arrays/numbers";
import { arrange, axesOf, boardOf, line } from "../../../src/kits/heatmap/board";
import { Edits, toggled } from "../../../src/state/editing/edits";
import { editedArray, editJson } from "../../../src/tabs/tensors/edit/edited_file";
import { EditedPicture } from "../../../src/tabs/tensors/edit/edited_values";
import { gathered } from "../../support/values_fixture";

const changesAfter = ({ cells }: Edits) =>
  [...cells].map(([place, change]) => [place, change.after]).sort(([a], [b]) => Number(a) - Number(b));

describe("edits", () => {
  it("of one stroke are undone in one step, and done again", () => {
    const edits = new Edits();
    edits.paint([[3, 0]], 1, 7);
    edits.paint(
      [
        [4, 0],
        [5, 2],
      ],
      1,
      7,
    );
    edits.paint([[9, 0]], -2, 8);
    expect(changesAfter(edits)).toEqual([
      [3, 1],
      [4, 1],
      [5, 1],
      [9, -2],
    ]);
    edits.undo();
    expect(changesAfter(edits)).toEqual([
      [3, 1],
      [4, 1],
      [5, 1],
    ]);
    edits.undo();
    expect(changesAfter(edits)).toEqual([]);
    expect([edits.canUndo, edits.canRedo]).toEqual([false, true]);
    edits.undo();
    expect(changesAfter(edits)).toEqual([]);
    edits.redo();
    edits.redo();
    expect(changesAfter(edits)).toEqual([
      [3, 1],
      [4, 1],
      [5, 1],
      [9, -2],
    ]);
    expect([edits.canUndo, edits.canRedo]).toEqual([true, false]);
  });

  it("of a stroke that crosses itself are undone to what was before it", () => {
    const edits = new Edits();
    edits.paint([[1, 0]], 4, 1);
    edits.paint(
      [
        [1, 0],
        [2, 0],
      ],
      5,
      2,
    );
    edits.paint([[1, 0]], 0, 2);
    edits.paint(
      [
        [1, 0],
        [2, 0],
      ],
      6,
      2,
    );
    expect(changesAfter(edits)).toEqual([
      [1, 6],
      [2, 6],
    ]);
    edits.undo();
    expect(changesAfter(edits)).toEqual([[1, 4]]);
    edits.redo();
    expect(changesAfter(edits)).toEqual([
      [1, 6],
      [2, 6],
    ]);
  });

  it("of a stroke that goes on after an undo are a step of their own", () => {
    const edits = new Edits();
    edits.paint([[1, 0]], 1, 1);
    edits.undo();
    edits.paint([[2, 0]], 1, 1);
    expect(edits.canRedo).toBe(false);
    edits.undo();
    expect(changesAfter(edits)).toEqual([]);
  });

  it("that change nothing are no step, and a cell as recorded is no change", () => {
    const edits = new Edits();
    edits.paint([[1, 5]], 5, 1);
    edits.paint([[1, NaN]], NaN, 1);
    edits.paint([[0, 2n ** 63n - 1n]], 2n ** 63n - 1n, 1);
    edits.reset();
    expect([changesAfter(edits), edits.canUndo, edits.version.value]).toEqual([[], false, 0]);
    edits.paint([[1, 5]], 6, 1);
    edits.paint([[1, 5]], 5, 2);
    expect(changesAfter(edits)).toEqual([]);
    edits.undo();
    expect(changesAfter(edits)).toEqual([[1, 6]]);
  });

  it("are reset in a step that can be undone", () => {
    const edits = new Edits();
    edits.paint([[1, 5]], 6, 1);
    edits.reset();
    expect(changesAfter(edits)).toEqual([]);
    edits.undo();
    expect(changesAfter(edits)).toEqual([[1, 6]]);
  });

  it("can be undone two hundred times", () => {
    const edits = new Edits();
    for (let stroke = 0; stroke < 250; stroke++) {
      edits.paint([[stroke, 0]], 1, stroke);
    }
    let undone = 0;
    for (; edits.canUndo; undone++) {
      edits.undo();
    }
    expect([undone, edits.cells.size]).toEqual([200, 50]);
  });

  it("cost as much as the cells that they touch, however many have been changed", () => {
    const edits = new Edits();
    const recorded = gathered("F32", new Array<number>(1000).fill(0));
    const picture = new EditedPicture(recorded, 10, edits);
    edits.paint(
      Array.from({ length: 900 }, (_, k) => [10 + k, 0] as const),
      1,
      1,
    );
    expect(picture.now.changed.size).toBe(900);
    // Whatever walks through all changed cells is noticed here.
    const walks: string[] = [];
    for (const map of [edits.cells, picture.now.changed]) {
      for (const name of ["keys", "values", "entries", "forEach", Symbol.iterator] as const) {
        Object.defineProperty(map, name, { value: () => (walks.push(String(name)), [][Symbol.iterator]()) });
      }
    }
    edits.paint(
      [
        [950, 0],
        [20, 0],
      ],
      2,
      1,
    );
    expect(edits.touched).toEqual([950, 20]);
    expect([picture.now.values.numbers[940], picture.now.values.numbers[10], picture.now.values.numbers[11]]).toEqual([2, 2, 1]);
    edits.undo();
    expect(edits.touched).toHaveLength(901);
    expect([picture.now.values.numbers[940], picture.now.changed.size]).toEqual([0, 0]);
    expect(walks).toEqual([]);
  });

  it("toggle between 0 and a value, a negative one too", () => {
    expect([
      toggled(0, 1),
      toggled(1, 1),
      toggled(0.5, 1),
      toggled(-0, -3),
      toggled(-3, -3),
      toggled(NaN, 1),
      toggled(2n ** 60n, 1),
    ]).toEqual([1, 0, 0, -3, 0, 0, 0]);
  });

  it("are shown among the values of a picture", () => {
    const edits = new Edits();
    edits.paint(
      [
        [0, 1],
        [5, 2],
      ],
      -7,
      1,
    );
    const recorded = gathered("F32", [1, 2, 3]);
    const picture = new EditedPicture(recorded, 4, edits);
    const before = picture.now;
    expect([...before.values.numbers]).toEqual([1, -7, 3]);
    expect([0, 1, 2, 3].map((k) => before.values.at(k))).toEqual([1, -7, 3, undefined]);
    expect(picture.now).toBe(before);
    // Several changes that were not checked separately.
    edits.undo();
    edits.paint([[6, 3]], 9, 2);
    expect(picture.now.values).not.toBe(before.values);
    expect([...picture.now.values.numbers]).toEqual([1, 2, 9]);
    expect([...picture.now.changed]).toEqual([[2, { before: 3, after: 9 }]]);
    expect([...recorded.numbers]).toEqual([1, 2, 3]);
  });
});

describe("a typed value", () => {
  it.each([
    ["1", "F32", 1],
    ["-.5", "F64", -0.5],
    ["1e-3", "F64", 0.001],
    ["0.1", "F32", Math.fround(0.1)],
    ["nan", "F16", NaN],
    [" -Inf ", "F32", -Infinity],
    ["-9223372036854775808", "I64", -(2n ** 63n)],
    ["+7", "I64", 7],
    ["255", "U8", 255],
    ["1", "BOOL", 1],
  ] as const)("%s for %s", (text, dtype, value) => {
    expect(typedValue(text, dtype)).toEqual(value);
  });

  it.each([
    ["", "F32"],
    ["1,5", "F32"],
    ["0x10", "F32"],
    ["1e40", "F32"],
    ["70000", "F16"],
    ["0.5", "I64"],
    ["9223372036854775808", "I64"],
    ["-1", "U8"],
    ["2", "BOOL"],
    ["nan", "I32"],
  ])("%s is refused for %s", (text, dtype) => {
    expect(typedValue(text, dtype)).toHaveProperty("wrong");
  });

  it("as half precision: every half comes back, and what lies between is rounded to even", () => {
    const halves = Array.from({ length: 0x10000 }, (_, bits) => bits);
    expect(halves.filter((bits) => !Object.is(halfToNumber(numberToHalf(halfToNumber(bits))), halfToNumber(bits)))).toEqual([]);
    // 1 + 2^-11 lies between 1 and 1 + 2^-10; 1 + 3 * 2^-11 between 1 + 2^-10 and 1 + 2^-9.
    expect([1 + 2 ** -11, 1 + 3 * 2 ** -11, 65519, 65520, 2 ** -25, 3 * 2 ** -26].map(numberToHalf)).toEqual([
      0x3c00, 0x3c02, 0x7bff, 0x7c00, 0, 1,
    ]);
  });
});

describe("the edited array", () => {
  const change = (value: number) => ({ before: 0, after: value });

  it("has the samples that are there, in their place of the shape", () => {
    // Shape [2, 3 samples, 2]; of the samples, those at 0 and 2 are there. Sample 0 holds 0..3, sample 2 holds 20..23.
    const plan = { shape: [2, 3, 2], batchDimension: 1, places: [0, 2], perSample: 4 };
    const stored = new Uint8Array(Float32Array.of(0, 1, 2, 3, 20, 21, 22, 23).buffer);
    const array = editedArray(
      plan,
      stored,
      "F32",
      "F32",
      new Map([
        [2 * 4 + 1, change(-1)],
        [1 * 4, change(9)],
        [3, change(7)],
      ]),
    );
    expect(array.shape).toEqual([2, 2, 2]);
    expect([...new Float32Array(array.bytes.buffer)]).toEqual([0, 1, 20, -1, 2, 7, 22, 23]);
    expect(array.changed).toEqual([
      [3, 21, -1],
      [5, 3, 7],
    ]);
  });

  it("keeps whole numbers of 64 bits, and widens what was rounded and bfloat16", () => {
    const plan = { shape: [2], batchDimension: null, places: [0], perSample: 2 };
    const whole = editedArray(plan, new Uint8Array(BigInt64Array.of(2n ** 62n + 1n, 5n).buffer), "I64", "I64", new Map([[1, change(-6)]]));
    expect([...new BigInt64Array(whole.bytes.buffer)]).toEqual([2n ** 62n + 1n, -6n]);
    const halves = new Uint8Array(Uint16Array.of(0x3c00, 0xc000).buffer);
    expect([...new Float32Array(editedArray(plan, halves, "F16", "F32", new Map()).bytes.buffer)]).toEqual([1, -2]);
    expect([...new Uint16Array(editedArray(plan, halves, "F16", "F16", new Map([[0, change(0.5)]])).bytes.buffer)]).toEqual([
      0x3800, 0xc000,
    ]);
    expect([
      ...new Float32Array(editedArray(plan, new Uint8Array(Uint16Array.of(0x3f80, 0xc040).buffer), "BF16", "F32", new Map()).bytes.buffer),
    ]).toEqual([1, -3]);
    expect([...editedArray(plan, Uint8Array.of(0, 1), "BOOL", "BOOL", new Map([[0, change(1)]])).bytes]).toEqual([1, 1]);
  });

  it("is named in the JSON, with what was changed", () => {
    const tensor = { group: "g", trial: "a", rank: 0, step: 4, iteration: 1, tensor: "x", samples: [0, 2], missing: ["Only 2 of 3."] };
    const array = {
      bytes: new Uint8Array(0),
      shape: [2, 2],
      dtype: "F32",
      changed: [
        [1, NaN, 0.5],
        [2, -Infinity, 2n ** 60n],
      ] as [number, number | bigint, number | bigint][],
    };
    expect(JSON.parse(editJson(tensor, array))).toEqual({
      format: "comgra-edit",
      version: 1,
      group: "g",
      trial: "a",
      rank: 0,
      step: 4,
      iteration: 1,
      tensor: "x",
      shape: [2, 2],
      dtype: "F32",
      samples: [0, 2],
      missing: ["Only 2 of 3."],
      changed: [
        [1, "NaN", 0.5],
        [2, "-Infinity", "1152921504606846976"],
      ],
    });
  });

  it("is written in every dtype that it can have", () => {
    const view = new DataView(new ArrayBuffer(8));
    for (const dtype of ["F64", "F32", "F16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL"]) {
      writerOf(dtype).write(view, 0, 1);
      expect(elementType(dtype).read(view, 0)).toBe(1);
    }
  });
});

describe("a stroke of the brush", () => {
  it("touches every value on its way, and none between tiles", () => {
    const arrangement = arrange(axesOf([4, 6], null));
    const board = boardOf(arrangement, [], 2);
    expect(line(board, 0, 3)).toEqual([0, 1, 2, 3]);
    expect(line(board, 0, 21)).toEqual([0, 7, 14, 21]);
    expect(line(board, 9, 9)).toEqual([9]);
    const tiles = arrange(axesOf([2, 1, 3], null));
    const both = boardOf(tiles, [null], 10);
    expect(line(both, 0, 5)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
