import { describe, expect, it } from "vitest";
import type { FoundProblem } from "../../../src/data/format/findings";
import { piecesOf } from "../../../src/kits/charts/sparkline";
import {
  checkedAssociations,
  compared,
  measured,
  notApplying,
  nothingFound,
  placeText,
  reasonsNotChecked,
  summary,
} from "../../../src/tabs/overview/findings/texts";
import { piecesOf as marked } from "../../../src/ui/text/code_text";

const rule = (name: string) => ({ rule: name, title: name });
const FINDING: FoundProblem = {
  rule: "r",
  title: "R",
  severity: 2,
  message: "",
  places: [{ kind: "run", name: "", iteration: null, source: null }],
  look_next: [],
  step: null,
  value: null,
  limit: null,
  comparison: "",
  advice: [],
  wrong_if: "",
  evidence: [],
};
const unchecked = (name: string, reason: string) => ({ ...rule(name), reason, applies: true, how_to_record: "" });
const DOCUMENT = { steps: 1, incidents: [], passed: [rule("a"), rule("b")], not_checked: [], muted: [], associations: null };

describe("evidence", () => {
  const view = (name: string, step = 1, group = "forward") => ({ group, name, iteration: 0, step, item: null, caption: "", sample: null });

  it.each([
    ["nothing", [], 0],
    ["one view", [view("h")], 1],
    ["two tensors", [view("h"), view("y")], 2],
    ["values and gradients", [view("h"), view("h", 1, "gradients")], 2],
    ["the values of a tensor at two steps", [view("h"), view("h", 2)], 2],
    ["one curve with two steps marked", [view("h"), view("h", 2)].map((each) => ({ ...each, item: "mean" })), 1],
    ["a curve and the values at a step", [{ ...view("h"), item: "abs_max" }, view("h")], 2],
    ["a tensor twice", [view("h"), view("h")], 1],
    ["the first two of three tensors", [view("h"), view("y"), view("z")], 2],
  ])("of %s stands side by side", (_, evidence, expected) => expect(compared(evidence)).toBe(expected));
});

describe("findings in words", () => {
  it("say what was checked where nothing was found", () => {
    expect(nothingFound(DOCUMENT)).toBe("Nothing was found by 2 rules on 1 step.");
    expect(nothingFound({ ...DOCUMENT, not_checked: [unchecked("c", "no loss")] })).toBe(
      "Nothing was found by 2 rules on 1 step. 1 rule could not be checked.",
    );
  });

  it("say that there was nothing to check without a step", () => {
    expect(nothingFound({ ...DOCUMENT, steps: 0, not_checked: [unchecked("c", "no loss")] })).toBe(
      "The recording has no step that can be read, so nothing could be checked.",
    );
  });

  it("speak of several rules where several have a reason", () => {
    const not_checked = ["c", "d"].map((name) => unchecked(name, "the loss functions that this rule checks were not used"));
    expect(reasonsNotChecked({ not_checked })).toEqual([
      { reason: "the loss functions that these rules check were not used", count: 2, howToRecord: "" },
    ]);
    expect(reasonsNotChecked({ not_checked: not_checked.slice(1) })).toEqual([
      { reason: not_checked[1]?.reason, count: 1, howToRecord: "" },
    ]);
  });

  it("count for each reason the rules that could not be checked", () => {
    const not_checked = [
      unchecked("c", "no loss"),
      unchecked("d", "no gradients"),
      { ...unchecked("e", "no gradients"), how_to_record: "Record them." },
      ...["f", "g", "h"].map((name) => ({ ...unchecked(name, "no dropout"), applies: false })),
    ];
    expect(reasonsNotChecked({ not_checked })).toEqual([
      { reason: "no gradients", count: 2, howToRecord: "Record them." },
      { reason: "no loss", count: 1, howToRecord: "" },
    ]);
    expect(nothingFound({ ...DOCUMENT, not_checked })).toBe("Nothing was found by 2 rules on 1 step. 3 rules could not be checked.");
    expect(notApplying(3)).toBe("3 rules do not apply to this run, as far as the recording shows");
  });

  it("count causes and consequences apart", () => {
    const incidents = [{ cause: FINDING, consequences: [FINDING, FINDING] }];
    expect(summary({ ...DOCUMENT, incidents })).toBe(
      "1 finding, and 2 that probably follow from it. 1 step read; 2 other rules found nothing, 0 could not be checked.",
    );
  });

  it("say that findings are sorted by causes where there are several", () => {
    const incidents = [
      { cause: FINDING, consequences: [FINDING] },
      { cause: FINDING, consequences: [] },
    ];
    expect(summary({ ...DOCUMENT, incidents })).toContain(
      "2 findings, and 1 that probably follows from these. Those that may cause others come first. 1 step read",
    );
  });

  it("say that accepted findings are not new", () => {
    expect(nothingFound({ ...DOCUMENT, muted: [{ ...rule("c"), findings: 2 }] })).toBe("Nothing new was found by 2 rules on 1 step.");
  });

  it("mark names and code, and leave a single backtick as it is", () => {
    expect(marked("`a: b` is `log` of 0")).toEqual([
      { content: "a: b", isCode: true },
      { content: " is ", isCode: false },
      { content: "log", isCode: true },
      { content: " of 0", isCode: false },
    ]);
    expect(marked("a ` b")).toEqual([{ content: "a ` b", isCode: false }]);
    expect(marked("")).toEqual([]);
  });

  it("say what was checked for associations, with a reason once", () => {
    const associations = {
      caution: "",
      reported: [],
      more: 0,
      checked: [
        {
          title: "steps and the loss",
          result: "no association among 3 pairs",
          family: "step",
          pairs: 3,
          passed: 0,
          smallest: "",
          left_out: 0,
        },
      ],
      not_checked: [
        { title: "categories", result: "no `sample_ids` were recorded", family: "category" },
        { title: "extreme values", result: "no `sample_ids` were recorded", family: "extreme" },
      ],
      notes: ["Few samples."],
    };
    expect(checkedAssociations(associations)).toEqual([
      "Steps and the loss: No association among 3 pairs.",
      "Not checked: categories; extreme values. No `sample_ids` were recorded.",
      "Few samples.",
    ]);
  });

  it("name what was measured, as far as it is known", () => {
    expect(measured(FINDING)).toBe("");
    expect(measured({ ...FINDING, value: 2 })).toBe("Measured: 2.");
    expect(measured({ ...FINDING, value: Infinity, limit: 0.5, comparison: "usually 0.1" })).toBe(
      "Measured: +inf (limit: 0.5). Usually 0.1.",
    );
  });

  it("name places", () => {
    expect(placeText({ kind: "optimizer", name: "", iteration: null, source: null })).toBe("the optimizer");
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
