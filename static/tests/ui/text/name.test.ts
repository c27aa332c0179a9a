/** Where the lines of a long name end. */

import { describe, expect, it } from "vitest";
import { piecesOfName } from "../../../src/ui/text/name";

describe("piecesOfName", () => {
  it("ends lines behind punctuation", () => {
    expect(piecesOfName("encoder.self_attention: output-0")).toEqual(["encoder.", "self_", "attention:", " output-", "0"]);
  });
  it("keeps a short name on one line", () => {
    expect(piecesOfName("model.0.weight")).toEqual(["model.0.weight"]);
  });
  it("keeps every character", () => {
    const name = "a".repeat(30);
    expect(piecesOfName(name)).toEqual([name]);
    expect(piecesOfName("")).toEqual([""]);
  });
});
