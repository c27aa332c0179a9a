/** What is wrong in a trial, where, and since when. All of it is checked: names and messages are those of a recording. */

import { also, type Check, type Checked, fail, flag, integer, list, number, oneOf, optional, orNull, record, text } from "./checks";
import { stepNumber } from "./steps";
import { sourceLine, WORST } from "./types";

const PLACE_KINDS = ["tensor", "parameter", "module", "optimizer", "loss", "run"] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];

/** More findings than this in one trial are no findings, but an attempt to exhaust the page. */
const MOST_FINDINGS = 10_000;

const place = record({
  kind: oneOf(PLACE_KINDS),
  name: text,
  iteration: orNull(integer(-1)),
  source: optional(orNull(sourceLine), null),
});

/** A statistic over the steps; the tensor at its step where `item` is null. */
const evidence = record({
  group: text,
  name: text,
  iteration: integer(-1),
  step: stepNumber,
  item: orNull(text),
  caption: text,
  /** The place in the batch of the sample to look at. Earlier bundles have none. */
  sample: optional(orNull(integer(0)), null),
});

const finding = record({
  rule: text,
  title: text,
  severity: integer(0, WORST),
  message: text,
  places: atLeastOne(list(place)),
  /** Where to look next if the first place is not it. Earlier bundles do not say. */
  look_next: optional(list(place), []),
  /** Since which recorded step; null: in the whole trial. */
  step: orNull(stepNumber),
  value: orNull(number),
  limit: orNull(number),
  comparison: text,
  advice: list(text),
  /** What would show that it is wrong. Earlier bundles have none. */
  wrong_if: optional(text, ""),
  evidence: list(evidence),
});

const incident = record({ cause: finding, consequences: list(finding) });
const passed = record({ rule: text, title: text });
/** Earlier bundles do not tell apart what does not apply to the run, and do not say what to record. */
const notChecked = record({ rule: text, title: text, reason: text, applies: optional(flag, true), how_to_record: optional(text, "") });
const muted = record({ rule: text, title: text, findings: integer(1) });

/** The page shows the message. The numbers are for other readers; earlier bundles have none. */
const association = record({
  message: text,
  evidence: list(evidence),
  family: optional(text, ""),
  measure: optional(text, ""),
  effect: optional(number, Number.NaN),
  discovery: optional(number, Number.NaN),
  confirmation: optional(number, Number.NaN),
  phases: optional(list(orNull(number)), []),
  q: optional(number, Number.NaN),
  samples: optional(integer(0), 0),
});
const uncheckedPairs = record({ title: text, result: text, family: optional(text, "") });
const checkedPairs = record({
  title: text,
  result: text,
  family: optional(text, ""),
  pairs: optional(integer(0), 0),
  passed: optional(integer(0), 0),
  smallest: optional(text, ""),
  left_out: optional(integer(0), 0),
});

/** What goes together in the trial: no problems, and no alarms. */
const associations = record({
  caution: text,
  reported: list(association),
  more: integer(0),
  checked: list(checkedPairs),
  not_checked: list(uncheckedPairs),
  notes: list(text),
});

export const parseFindings = also(
  record({
    steps: integer(0),
    incidents: list(incident),
    passed: list(passed),
    not_checked: list(notChecked),
    muted: list(muted),
    /** Earlier bundles have none. */
    associations: orNull(associations),
  }),
  ({ incidents, associations: together }, where) => {
    if ((together?.reported.length ?? 0) > MOST_FINDINGS) {
      fail(`${where}.associations.reported`, `at most ${MOST_FINDINGS} associations`);
    }
    if (incidents.reduce((sum, { consequences }) => sum + 1 + consequences.length, 0) > MOST_FINDINGS) {
      fail(`${where}.incidents`, `at most ${MOST_FINDINGS} findings`);
    }
  },
);

export type FindingsDocument = Checked<typeof parseFindings>;
export type AssociationsDocument = Checked<typeof associations>;
export type FoundAssociation = Checked<typeof association>;
export type CheckedPairs = Checked<typeof checkedPairs>;
export type UncheckedPairs = Checked<typeof uncheckedPairs>;
export type FoundIncident = Checked<typeof incident>;
export type FoundProblem = Checked<typeof finding>;
export type FoundPlace = Checked<typeof place>;
export type FoundEvidence = Checked<typeof evidence>;
export type PassedRule = Checked<typeof passed>;
export type NotCheckedRule = Checked<typeof notChecked>;
export type MutedRule = Checked<typeof muted>;

function atLeastOne<T>(check: Check<T[]>): Check<T[]> {
  return also(check, (items, where) => {
    if (items.length === 0) {
      fail(where, "a list that is not empty");
    }
  });
}
