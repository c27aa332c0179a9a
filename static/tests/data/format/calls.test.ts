import { describe, expect, it } from "vitest";
import { parseCalls } from "../../../src/data/format/calls";
import { DamagedBundleError } from "../../../src/data/format/errors";

const GOOD = {
  calls: { module: [0, 1, 1], parent: [-1, 0, 0], number: [0, 0, 1], training: [true, true, false], raised: [false, false, true] },
  ports: {
    call: [0, 1, 1],
    side: ["input", "input", "output"],
    path: ["x", "mask", "output"],
    record_name: ["model: input x", null, "y"],
    record_iteration: [0, null, 0],
    text: [null, "None", null],
    meaning: [null, null, "attention"],
    gradient_record_name: ["model: gradient of input x", null, null],
    gradient_record_iteration: [0, null, null],
  },
};

type Table = Record<string, unknown[]>;

function changed(table: "calls" | "ports", column: string, value: unknown): unknown {
  const copy = structuredClone(GOOD) as unknown as Record<string, Table>;
  copy[table]![column] = value as unknown[];
  return copy;
}

describe("the calls of modules", () => {
  it("are read as they are", () => {
    expect(parseCalls(GOOD, "calls")).toEqual(GOOD);
  });

  it("of older recordings have no meanings", () => {
    expect(parseCalls(changed("ports", "meaning", undefined), "calls").ports.meaning).toEqual([null, null, null]);
  });

  it("of older recordings have no gradients of their own", () => {
    const older = structuredClone(GOOD) as { ports: Partial<typeof GOOD.ports> };
    delete older.ports.gradient_record_name;
    delete older.ports.gradient_record_iteration;
    const { ports } = parseCalls(older, "calls");
    expect([ports.gradient_record_name, ports.gradient_record_iteration]).toEqual([
      [null, null, null],
      [null, null, null],
    ]);
  });

  it.each([
    ["a call within a later one", "calls", "parent", [-1, 2, 0]],
    ["a call within itself", "calls", "parent", [-1, 1, 0]],
    ["a number that skips", "calls", "number", [0, 0, 2]],
    ["a number twice", "calls", "number", [0, 0, 0]],
    ["columns of different lengths", "calls", "training", [true, true]],
    ["a mode that is no truth value", "calls", "training", [1, true, true]],
    ["a port of a missing call", "ports", "call", [0, 1, 3]],
    ["a side that does not exist", "ports", "side", ["input", "input", "between"]],
    ["a path that is no text", "ports", "path", ["x", null, "y"]],
    ["half a record", "ports", "record_iteration", [0, 0, 0]],
    ["a meaning that is no text", "ports", "meaning", [null, null, 1]],
    ["half a gradient", "ports", "gradient_record_iteration", [null, null, null]],
    ["a gradient that is no text", "ports", "gradient_record_name", [1, null, null]],
    ["a gradient of an output", "ports", "side", ["output", "input", "output"]],
    ["gradients without iterations", "ports", "gradient_record_iteration", undefined],
    ["ports that are no list", "ports", "call", { length: 3 }],
  ] as const)("are refused with %s", (_, table, column, value) => {
    expect(() => parseCalls(changed(table, column, value), "calls")).toThrow(DamagedBundleError);
  });

  it("are refused where something is missing", () => {
    for (const value of [null, [], {}, { calls: GOOD.calls }, { ports: GOOD.ports }]) {
      expect(() => parseCalls(value, "calls")).toThrow(DamagedBundleError);
    }
  });
});
