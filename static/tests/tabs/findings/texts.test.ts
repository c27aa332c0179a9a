import { describe, expect, it } from "vitest";
import type { FoundProblem } from "../../../src/data/format/findings";
import { piecesOf } from "../../../src/kits/charts/sparkline";
import { isOfModule } from "../../../src/state/findings/found";
import { measured, nothingFound, placeText, summary } from "../../../src/tabs/findings/texts";

const rule = (name: string) => ({ rule: name, title: name });
const FINDING: FoundProblem = {
  rule: "r",
  title: "R",
  severity: 2,
  message: "",
  places: [{ kind: "run", name: "", iteration: null, source: null }],
  step: null,
  value: null,
  limit: null,
  comparison: "",
  advice: [],
  evidence: [],
};
const DOCUMENT = { steps: 1, incidents: [], passed: [rule("a"), rule("b")], not_checked: [], muted: [], associations: null };

describe("findings in words", () => {
  it("say what was checked where nothing was found", () => {
    expect(nothingFound(DOCUMENT)).toBe("Nothing was found by 2 rules on 1 step.");
    expect(nothingFound({ ...DOCUMENT, not_checked: [{ ...rule("c"), reason: "no loss" }] })).toBe(
      "Nothing was found by 2 rules on 1 step. 1 rule could not be checked.",
    );
  });

  it("count causes and consequences apart", () => {
    const incidents = [{ cause: FINDING, consequences: [FINDING, FINDING] }];
    expect(summary({ ...DOCUMENT, incidents })).toBe(
      "1 finding, and 2 that probably follow from these. 1 step read; 2 other rules found nothing, 0 could not be checked.",
    );
  });

  it("name what was measured, as far as it is known", () => {
    expect(measured(FINDING)).toBe("");
    expect(measured({ ...FINDING, value: Infinity, limit: 0.5, comparison: "usually 0.1" })).toBe(
      "Measured: +inf; limit: 0.5; usually 0.1",
    );
  });

  it("name places", () => {
    expect(placeText({ kind: "optimizer", name: "", iteration: null, source: null })).toBe("optimizer");
    expect(placeText({ kind: "tensor", name: "h", iteration: 0, source: null })).toBe("h");
    expect(placeText({ kind: "tensor", name: "h", iteration: 2, source: null })).toBe("h (iteration 2)");
  });

  it("end a curve where a value is not finite", () => {
    expect(piecesOf([0, 1, 2, 3], [5, NaN, 7, 8])).toEqual([
      [[0, 5]],
      [
        [2, 7],
        [3, 8],
      ],
    ]);
  });
});

describe("modules", () => {
  const at = (name: string, severity = 2): FoundProblem => ({
    ...FINDING,
    severity,
    places: [{ kind: "parameter", name, iteration: null, source: null }],
  });

  it("have the findings of what is in them, and no others", () => {
    expect(isOfModule(at("model.1.weight"), "model.1")).toBe(true);
    expect(isOfModule(at("model.1: output"), "model")).toBe(true);
    expect(isOfModule(at("model: output"), "model")).toBe(true);
    expect(isOfModule(at("model.10.weight"), "model.1")).toBe(false);
    expect(isOfModule(at("model.1.weight", 0), "model.1")).toBe(false);
  });
});
