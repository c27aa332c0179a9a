/** What B shows: found by name, and never something else instead. */

import type { Bundle, Loaded } from "../../data/bundle";
import type { Trial } from "../../data/format/types";
import type { TensorRecord } from "../../data/records/record_offsets";
import type { Offer } from "../selection/offers";
import { type OpenStep, openStep } from "../selection/open_step";
import { rankLabel, rankOf } from "../selection/options";
import { ANY_TYPE, ATTRIBUTE_NAMES, type Attribute, ONLY_RANK, type Selection } from "../selection/selection";
import { place } from "../selection/step_choice";

export interface Second {
  selection: Selection;
  /** Null where the trial has no steps, or the wanted one is not there. */
  open: OpenStep | null;
  offer: Offer | undefined;
  record: TensorRecord | undefined;
  /** Why there is no record, as a sentence. */
  missing: string | null;
}

/** Opens what a selection names. Steps that are open already are not opened again, so that what was worked out of them stays true. */
export function openSecond(bundle: Bundle, wanted: Selection, alreadyOpen: readonly (OpenStep | null)[] = []): Loaded<Second> {
  const { selection, trial: number, step } = place(bundle, { ...wanted, stepType: ANY_TYPE });
  const trial = bundle.index.trials[number];
  // A trial with a single rank is compared with any rank of another one.
  const placed = selection.rank === ONLY_RANK ? { ...selection, rank: wanted.rank } : selection;
  const lacking = (["trial", "rank", "step"] as const).find((attribute) => placed[attribute] !== wanted[attribute]);
  if (trial === undefined || step < 0 || lacking !== undefined) {
    return ready({ selection: wanted, open: null, offer: undefined, record: undefined, missing: sentence(lacking ?? "step", wanted) });
  }
  const known = alreadyOpen.find((open) => open?.trial === trial && open.step === step && open.graphError === null);
  const opened = known ? ({ state: "ready", value: known } as const) : openStep(bundle, trial, step);
  if (opened.state !== "ready") {
    return opened;
  }
  const open = opened.value;
  const shown = open.offers.of(wanted.iteration);
  const offer = shown.find((candidate) => candidate.node === wanted.node && candidate.role === wanted.role);
  const record = offer && open.content.table.byGroup.get(wanted.recording)?.get(offer.tensor);
  const attribute = offer === undefined ? lackingPart(shown, wanted) : lackingRecord(offer, record, wanted);
  return ready({
    selection: wanted,
    open,
    offer,
    record: attribute === null ? record : undefined,
    missing: attribute && sentence(attribute, wanted),
  });
}

/** The trial of B, where it is another one than that of A, or another rank of it: what has curves of its own. */
export function otherTrial(bundle: Bundle, wanted: Selection, trialOfA: Trial): Trial | null {
  const own = bundle.index.trials.filter((trial) => trial.name === wanted.trial);
  const other = own.find((trial) => rankOf(bundle, trial) === wanted.rank || own.length === 1);
  return other === undefined || other === trialOfA ? null : other;
}

/** What the trial of B is called beside that of A: by its rank too, where their names are the same. */
export function trialLabel(trial: Trial, beside: Trial): string {
  return trial.name === beside.name ? `${trial.name}, ${rankLabel(trial)}` : trial.name;
}

function lackingPart(shown: readonly Offer[], wanted: Selection): Attribute {
  if (shown.length === 0) {
    return "iteration";
  }
  return shown.some((offer) => offer.node === wanted.node) ? "role" : "node";
}

function sentence(attribute: Attribute, wanted: Selection): string {
  return `B has no ${ATTRIBUTE_NAMES[attribute]} \u201c${wanted[attribute]}\u201d.`;
}

function ready(value: Second): Loaded<Second> {
  return { state: "ready", value };
}

/** Which attribute of the record is not there; null where it is. */
function lackingRecord(offer: Offer, record: TensorRecord | undefined, wanted: Selection): Attribute | null {
  if (record === undefined) {
    return "recording";
  }
  return offer.aggregations.includes(wanted.aggregation) ? null : "aggregation";
}
