import { describe, expect, it } from "vitest";
import { nameOf } from "../../../src/tabs/flow/toolbar";

describe("the name of a flow", () => {
  it("says the iteration once", () => {
    expect(nameOf({ name: "x to y", iteration: 0 })).toBe("x to y");
    expect(nameOf({ name: "x to y", iteration: 2 })).toBe("x to y (iteration 2)");
    expect(nameOf({ name: "x to y (iteration 2)", iteration: 2 })).toBe("x to y (iteration 2)");
    expect(nameOf({ name: "x to y (iteration 2)", iteration: 1 })).toBe("x to y (iteration 2) (iteration 1)");
  });
});
