/** What is selected, in one row, and what is remarkable about its values. */

import { aggregationLabel } from "../state/options";
import type { OpenStep, Shown, Store } from "../state/store";
import type { Facts } from "../data/step_numbers";
import { counted, fixed, grouped, nodeLabel, roleLabel, shapeText } from "./format";

export function Summary({ store, shown, open }: { store: Store; shown: Shown; open: OpenStep }) {
  // Read so that this is rendered again when the counts have been loaded.
  void store.version.value;
  const { selection, step } = shown;
  const { steps } = open.trial;
  const { layout } = open.content;
  const offer = store.offer.value;
  const record = store.record.value;
  const tensor = offer?.tensor ?? -1;
  const time = steps.time[step] ?? null;
  const facts = record && open.content.numbers.facts(record);
  return (
    <div class="summary" data-testid="summary">
      <h2 title={selection.node}>
        <bdi>{nodeLabel(selection.node)}</bdi>
        {selection.role !== selection.node && <span class="soft"> / <bdi>{roleLabel(selection.role)}</bdi></span>}
      </h2>
      <dl>
        <Entry name="trial" value={selection.trial} />
        <Entry name="step" value={String(selection.step)} />
        <Entry name="iteration" value={String(selection.iteration)} />
        <Entry name="step type" value={store.bundle.typeOf(open.trial, step)} />
        <Entry name="batch size" value={String(steps.batch_size[step] ?? "")} />
        {time !== null && <Entry name="time" value={`${time.toFixed(1)} s`} />}
        <Entry name="batch/sample" value={aggregationLabel(selection.aggregation, open.samples, (position) => store.bundle.text(position))} />
        <Entry name="node" value={selection.node} />
        <Entry name="role" value={selection.role} />
        {offer !== undefined && <Entry name="tensor" value={offer.name} />}
        {tensor >= 0 && (
          <>
            <Entry name="type" value={layout.tensors.type[tensor] ?? ""} />
            <Entry name="shape" value={shapeText(layout.tensors.shape[tensor] ?? [])} />
            <Entry name="dtype" value={dtypeText(layout.tensors.dtype[tensor], layout.tensors.stored[tensor])} />
            {layout.tensors.operation[tensor] && <Entry name="operation" value={layout.tensors.operation[tensor]} />}
            {layout.tensors.module[tensor] && <Entry name="module" value={layout.tensors.module[tensor]} />}
          </>
        )}
      </dl>
      {record !== undefined && <FactsRow facts={facts} dtype={layout.tensors.dtype[tensor] ?? "F32"} />}
      <Remarks store={store} shown={shown} open={open} tensor={tensor} facts={facts} />
    </div>
  );
}

function Entry({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-testid={`summary-${name.replace(/[ /]/g, "-")}`} title={value}><bdi>{value}</bdi></dd>
    </div>
  );
}

function dtypeText(dtype = "", stored = ""): string {
  return dtype === stored ? dtype : `${dtype}, kept as ${stored}`;
}

/** Counts over all values of the whole batch. The row is there before its numbers are. */
function FactsRow({ facts, dtype }: { facts: Facts | undefined; dtype: string }) {
  const count = (value: Facts["nan"] | undefined): string => (value === undefined ? "\u2026" : grouped(value));
  const bad = (value: Facts["nan"] | undefined): boolean => value !== undefined && Number(value) > 0;
  const extreme = (value: Facts["smallest"] | undefined): string =>
    value === undefined ? "\u2026" : Number.isNaN(Number(value)) ? "none" : fixed(value, dtype);
  return (
    <dl class="facts" aria-label="Over all values of the whole batch" title="Over all values of the whole batch">
      <Fact name="NaN" value={count(facts?.nan)} bad={bad(facts?.nan)} testId="fact-nan" />
      <Fact name="+inf" value={count(facts?.positiveInfinity)} bad={bad(facts?.positiveInfinity)} testId="fact-positive-infinity" />
      <Fact name={"\u2212inf"} value={count(facts?.negativeInfinity)} bad={bad(facts?.negativeInfinity)} testId="fact-negative-infinity" />
      <Fact name="zeros" value={count(facts?.zeros)} bad={false} testId="fact-zeros" />
      <Fact name="min" value={extreme(facts?.smallest)} bad={false} testId="fact-min" />
      <Fact name="max" value={extreme(facts?.largest)} bad={false} testId="fact-max" />
    </dl>
  );
}

function Fact({ name, value, bad, testId }: { name: string; value: string; bad: boolean; testId: string }) {
  return (
    <div class={bad ? "fact-bad" : ""}>
      <dt>{bad ? `! ${name}` : name}</dt>
      <dd data-testid={testId}>{value}</dd>
    </div>
  );
}

interface RemarksProps {
  store: Store;
  shown: Shown;
  open: OpenStep;
  tensor: number;
  facts: Facts | undefined;
}

/** Sentences about what one might misread. */
function Remarks({ store, shown, open, tensor, facts }: RemarksProps) {
  const { layout } = open.content;
  const offer = store.offer.value;
  const remarks: { id: string; text: string }[] = [];
  const givenUp = store.chosen.value?.recording;
  if (givenUp !== undefined && givenUp !== shown.selection.recording) {
    const instead = `\u201c${shown.selection.recording}\u201d is shown instead, and \u201c${givenUp}\u201d again as soon as it is.`;
    remarks.push({ id: "fallback", text: `\u201c${givenUp}\u201d is not recorded for this selection: ${instead}` });
  }
  if (facts?.gradientAbsent) {
    remarks.push({ id: "gradient-absent", text: "Gradient absent (counted as zeros)." });
  }
  const iteration = layout.tensors.iteration[tensor] ?? -1;
  const isFromElsewhere = iteration !== shown.selection.iteration && (iteration !== -1 || layout.tensors.type[tensor] !== "parameter");
  if (offer !== undefined && tensor >= 0 && (layout.tensors.name[tensor] !== offer.name || isFromElsewhere)) {
    remarks.push({ id: "reference", text: `The numbers are those of \u201c${layout.tensors.name[tensor]}\u201d ${iteration < 0 ? "before the first iteration" : `of iteration ${iteration}`}.` });
  }
  const samples = tensor < 0 ? 0 : layout.tensors.samples[tensor] ?? 0;
  const batchSize = open.trial.steps.batch_size[shown.step] ?? 0;
  if (tensor >= 0 && layout.tensors.batch_dimension[tensor] !== null && samples < batchSize) {
    remarks.push({ id: "samples", text: samples === 0 ? "No samples of this tensor were recorded one by one." : `${counted(samples, "sample")} of ${grouped(batchSize)} recorded one by one.` });
  }
  return remarks.length === 0 ? null : (
    <ul class="remarks">
      {remarks.map(({ id, text }) => (
        <li key={id} data-testid={`remark-${id}`} class={id === "samples" ? "soft" : ""}>{text}</li>
      ))}
    </ul>
  );
}
