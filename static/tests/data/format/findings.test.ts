import { describe, expect, it } from "vitest";
import { DamagedBundleError } from "../../../src/data/format/errors";
import { parseFindings } from "../../../src/data/format/findings";

type Json = Record<string, any>;

const FINDING = (): Json => ({
  rule: "dead-relu",
  title: "Dead units",
  severity: 2,
  message: "<b>h1</b> is 0.",
  places: [{ kind: "tensor", name: "h1", iteration: 0, source: { file: "model.py", line: 41, function: "forward" } }],
  look_next: [{ kind: "module", name: "m", iteration: null, source: null }],
  step: 10,
  value: "Infinity",
  limit: null,
  comparison: "",
  advice: ["Lower the learning rate."],
  wrong_if: "Other samples are positive.",
  evidence: [{ group: "forward", name: "h1", iteration: 0, step: 10, item: null, caption: "The values.", sample: 3 }],
});

const DOCUMENT = (): Json => ({
  steps: 3,
  incidents: [{ cause: FINDING(), consequences: [FINDING()] }],
  passed: [{ rule: "a", title: "A" }],
  not_checked: [{ rule: "b", title: "B", reason: "no loss is known", applies: false, how_to_record: "Register it." }],
  muted: [{ rule: "c", title: "C", findings: 2 }],
  associations: {
    caution: "Associations only.",
    reported: [
      {
        message: "Samples of category <b>z</b>.",
        evidence: [{ group: "forward", name: "h1", iteration: 0, step: 10, item: null, caption: "", sample: null }],
        family: "category",
        measure: "AUC",
        effect: 0.75,
        discovery: 0.8,
        confirmation: 0.7,
        phases: [0.7, null, 0.8],
        q: 0.01,
        samples: 320,
      },
    ],
    more: 1,
    checked: [{ title: "categories", result: "1 of 1 pair passed.", family: "category", pairs: 1, passed: 1, smallest: "", left_out: 0 }],
    not_checked: [{ title: "steps", result: "3 steps were recorded", family: "step" }],
    notes: [],
  },
});

describe("findings", () => {
  it("are read", () => {
    const read = parseFindings(DOCUMENT(), "f");
    expect(read.incidents[0]!.cause).toEqual({ ...FINDING(), value: Infinity });
    expect(read).toEqual({ ...DOCUMENT(), incidents: read.incidents });
  });

  it("of earlier versions do not say where to look next", () => {
    const document = DOCUMENT();
    delete document.incidents[0].cause.look_next;
    expect(parseFindings(document, "f").incidents[0]!.cause.look_next).toEqual([]);
  });

  it("of earlier versions do not say what does not apply", () => {
    const document = DOCUMENT();
    document.not_checked = [{ rule: "b", title: "B", reason: "no loss is known" }];
    expect(parseFindings(document, "f").not_checked).toEqual([{ ...document.not_checked[0], applies: true, how_to_record: "" }]);
  });

  it("of earlier versions lack the lines of the code", () => {
    const document = DOCUMENT();
    delete document.incidents[0].cause.places[0].source;
    expect(parseFindings(document, "f").incidents[0]!.cause.places[0]!.source).toBeNull();
  });

  it("of earlier bundles do not say what would show that they are wrong", () => {
    const document = DOCUMENT();
    delete document.incidents[0].cause.wrong_if;
    expect(parseFindings(document, "f").incidents[0]!.cause.wrong_if).toBe("");
  });

  it("of earlier bundles name no sample", () => {
    const document = DOCUMENT();
    delete document.incidents[0].cause.evidence[0].sample;
    expect(parseFindings(document, "f").incidents[0]!.cause.evidence[0]!.sample).toBeNull();
  });

  it("of earlier bundles have associations without numbers", () => {
    const document = DOCUMENT();
    const [{ message, evidence }] = document.associations.reported;
    document.associations.reported = [{ message, evidence }];
    const [association] = parseFindings(document, "f").associations!.reported;
    expect(association).toMatchObject({ message, effect: Number.NaN, phases: [], samples: 0 });
  });

  it("of earlier bundles have no associations", () => {
    const { associations: _, ...earlier } = DOCUMENT();
    expect(parseFindings(earlier, "f").associations).toBeNull();
  });

  it.each<[string, (document: Json) => void]>([
    ["f.associations.reported[0].message", ({ associations }) => (associations.reported[0].message = 1)],
    ["f.associations.reported[0].evidence[0].step", ({ associations }) => (associations.reported[0].evidence[0].step = -1)],
    ["f.associations.more", ({ associations }) => (associations.more = -1)],
    ["f.incidents[0].cause.severity", ({ incidents }) => (incidents[0].cause.severity = 4)],
    ["f.incidents[0].cause.places", ({ incidents }) => (incidents[0].cause.places = [])],
    ["f.incidents[0].cause.places[0].kind", ({ incidents }) => (incidents[0].cause.places[0].kind = "planet")],
    ["f.incidents[0].cause.places[0].source.line", ({ incidents }) => (incidents[0].cause.places[0].source.line = 0)],
    ["f.incidents[0].cause.places[0].source.file", ({ incidents }) => (incidents[0].cause.places[0].source.file = ["<b>"])],
    ["f.incidents[0].consequences[0].value", ({ incidents }) => (incidents[0].consequences[0].value = "12")],
    ["f.incidents[0].cause.evidence[0].step", ({ incidents }) => (incidents[0].cause.evidence[0].step = -1)],
    ["f.incidents[0].cause.evidence[0].sample", ({ incidents }) => (incidents[0].cause.evidence[0].sample = 0.5)],
    ["f.incidents[0].cause.message", ({ incidents }) => (incidents[0].cause.message = { html: "<b>" })],
    ["f.incidents[0].cause.wrong_if", ({ incidents }) => (incidents[0].cause.wrong_if = 1)],
    ["f.muted[0].findings", ({ muted }) => (muted[0].findings = 0)],
    ["f.steps", (document) => (document.steps = null)],
    ["f.incidents", (document) => (document.incidents = new Array(10_001).fill({ cause: FINDING(), consequences: [] }))],
  ])("that are damaged are refused: %s", (place, damage) => {
    const document = DOCUMENT();
    damage(document);
    expect(() => parseFindings(document, "f")).toThrow(DamagedBundleError);
    expect(() => parseFindings(document, "f")).toThrow(`${place} should be`);
  });
});
