/** Sentences about what one might misread in the numbers that are shown. */

import type { Network, StepFacts } from "../../data/format/types";
import type { Facts } from "../../data/records/step_numbers";
import { notKnownInWords } from "../../state/badges/not_known";
import type { OpenStep } from "../../state/selection/open_step";
import { FORWARD } from "../../state/selection/selection";
import type { Shown, Store } from "../../state/store";
import { brief, counted, grouped } from "../../ui/text/format";
import { gradientSentences, parameterSentences, placeOfParameter } from "../../ui/text/training_text";
import type { ParameterChange } from "./parameter_change";

interface RemarksProps {
  store: Store;
  shown: Shown;
  open: OpenStep;
  tensor: number;
  facts: Facts | undefined;
  known: { step: StepFacts | null; network: Network | null };
  change: ParameterChange | null;
}

export function Remarks(props: RemarksProps) {
  const remarks = [
    ...aboutSelection(props),
    ...aboutOrigin(props),
    ...(props.tensor < 0 ? [] : [...aboutGradient(props), ...aboutParameter(props), ...aboutSamples(props), ...aboutBundle(props)]),
  ];
  return remarks.length === 0 ? null : (
    <ul class="remarks">
      {remarks.map(({ id, text }) => (
        <li key={id} data-testid={`remark-${id}`} class={QUIET.has(id) ? "soft" : ""}>
          {text}
        </li>
      ))}
    </ul>
  );
}

interface Remark {
  id: string;
  text: string;
}

/** What is not unusual. */
const QUIET: ReadonlySet<string> = new Set(["samples", "rounded", "all-ranks", "gradient-facts", "parameter"]);

/** What is shown instead of what was chosen, and where its numbers come from. */
function aboutSelection({ store, shown, open, tensor }: RemarksProps): Remark[] {
  const { layout } = open.content;
  const offer = store.offer.value;
  const remarks: Remark[] = [];
  const givenUp = store.chosen.value?.recording;
  if (givenUp !== undefined && givenUp !== shown.selection.recording) {
    const instead = `The page shows \u201c${shown.selection.recording}\u201d until \u201c${givenUp}\u201d is available.`;
    remarks.push({ id: "fallback", text: `\u201c${givenUp}\u201d is not recorded for this selection. ${instead}` });
  }
  const iteration = layout.tensors.iteration[tensor] ?? -1;
  const isFromElsewhere = iteration !== shown.selection.iteration && (iteration !== -1 || layout.tensors.type[tensor] !== "parameter");
  if (offer !== undefined && tensor >= 0 && (layout.tensors.name[tensor] !== offer.name || isFromElsewhere)) {
    const when = iteration < 0 ? "before the first iteration" : `of iteration ${iteration}`;
    remarks.push({ id: "reference", text: `The numbers are those of \u201c${layout.tensors.name[tensor]}\u201d ${when}.` });
  }
  return remarks;
}

/** Whether it is known what the selected tensor was computed from. */
function aboutOrigin({ shown: { selection }, open }: RemarksProps): Remark[] {
  const graph = open.graphs[selection.iteration];
  if (graph === undefined) {
    return [];
  }
  const { tensors, nodes } = graph;
  const isSelected = (tensor: number): boolean =>
    tensors.role[tensor] === selection.role && nodes.name[tensors.node[tensor]!] === selection.node;
  return [...notKnownInWords(graph)].filter(([tensor]) => isSelected(tensor)).map(([, text]) => ({ id: "not-known", text }));
}

/** Whether there was a gradient at all, and what happened to it before it was recorded. */
function aboutGradient({ shown, open, tensor, facts, known, change }: RemarksProps): Remark[] {
  const { recording } = shown.selection;
  const { tensors } = open.content.layout;
  const remarks: Remark[] = [];
  if (recording === FORWARD) {
    return remarks;
  }
  const count = (tensors.shape[tensor] ?? []).reduce((product, size) => product * size, 1);
  if (facts?.gradientAbsent) {
    remarks.push({ id: "gradient-absent", text: "No gradient (counted as zeros)." });
  } else if (facts !== undefined && count > 0 && Number(facts.zeros) === count && open.trial.rank !== null) {
    remarks.push({ id: "gradient-zero", text: "The gradient exists, and all of its values are zero." });
  }
  if (change?.leftOver !== undefined && change.leftOver > 0) {
    const leftOver = `${brief(change.leftOver)} (Euclidean norm)`;
    remarks.push({
      id: "gradient-left-over",
      text: `Contains gradients of earlier steps: it differs by ${leftOver} from the sum of the step\u2019s backward passes.`,
    });
  }
  const ofGroup = known.step?.gradients.find(({ group }) => group === recording);
  const sentences = ofGroup === undefined ? [] : gradientSentences(ofGroup, tensors.type[tensor] === "parameter");
  if (sentences.length > 0) {
    remarks.push({ id: "gradient-facts", text: sentences.join(" ") });
  }
  return remarks;
}

function aboutParameter({ open, tensor, known }: RemarksProps): Remark[] {
  const { tensors } = open.content.layout;
  const place = known.network && tensors.type[tensor] === "parameter" ? placeOfParameter(known.network, tensors.name[tensor] ?? "") : null;
  if (known.network === null || place === null) {
    return [];
  }
  const sentences = parameterSentences(known.network, place, known.step?.learning_rates ?? null);
  return sentences.length === 0 ? [] : [{ id: "parameter", text: sentences.join(" ") }];
}

/** Which values were rounded when this page was made, or left out of it. */
function aboutBundle({ open, tensor }: RemarksProps): Remark[] {
  const { tensors } = open.content.layout;
  const remarks: Remark[] = [];
  const [dtype, stored] = [tensors.dtype[tensor] ?? "", tensors.stored[tensor] ?? ""];
  const aggregates = tensors.aggregates?.[tensor] ?? null;
  const values = isRounded(dtype, stored) ? stored : null;
  if (values !== null || aggregates === "F16" || aggregates === "BF16") {
    const what = values === null ? "The values over the batch" : "The values";
    remarks.push({
      id: "rounded",
      text: `${what} were rounded for this bundle and are stored as ${values ?? aggregates}. Statistics are exact.`,
    });
  }
  const kept = tensors.kept?.[tensor] ?? null;
  if (kept !== null && kept.length > 0 && tensors.batch_dimension[tensor] !== null) {
    remarks.push({
      id: "samples-left-out",
      text: `This bundle has the values of ${counted(kept.length, "sample")}; the others were left out.`,
    });
  }
  return remarks;
}

/** Recordings widen what has no array type of its own; only an export rounds to two bytes. */
function isRounded(dtype: string, stored: string): boolean {
  return dtype !== stored && (stored === "F16" || stored === "BF16");
}

/** How many samples have values of their own, and what numbers over all ranks are. */
function aboutSamples({ shown, open, tensor, facts }: RemarksProps): Remark[] {
  const { tensors } = open.content.layout;
  if (open.trial.rank === null) {
    const ofSamples =
      tensors.batch_dimension[tensor] !== null
        ? [{ id: "all-ranks", text: "Computed over the samples of all ranks; single samples are shown per rank." }]
        : [];
    const differing = facts?.ranksDiffer
      ? [
          {
            id: "ranks-differ",
            text: "The ranks differ here: a single value is the mean over the ranks; statistics cover the values of all ranks.",
          },
        ]
      : [];
    return [...ofSamples, ...differing];
  }
  const samples = tensors.samples[tensor] ?? 0;
  const batchSize = open.trial.steps.batch_size[shown.step] ?? 0;
  if (tensors.batch_dimension[tensor] === null || samples >= batchSize) {
    return [];
  }
  return [{ id: "samples", text: samplesText(tensors.kind[tensor] ?? "", samples, batchSize) }];
}

/** What there is of single samples, for a kind of recording: their values, of which a single value is the only one, or statistics. */
export function samplesText(kind: string, samples: number, batchSize: number): string {
  if (samples === 0) {
    return "No individual samples of this tensor were recorded.";
  }
  if (kind === "neuron" || kind === "single_value") {
    return `${counted(samples, "sample")} of ${grouped(batchSize)} recorded with individual values.`;
  }
  const have = samples === 1 ? "has statistics of its own" : "have statistics of their own";
  return `${grouped(samples)} of ${grouped(batchSize)} samples ${have}. Single values need values=True.`;
}
