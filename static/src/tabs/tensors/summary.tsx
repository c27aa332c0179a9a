/** What is selected, in one row, and what is remarkable about its values. */

import { stepLabel } from "../../data/format/steps";
import type { Network, SourceLine, StepFacts } from "../../data/format/types";
import type { Facts } from "../../data/records/step_numbers";
import type { OpenStep } from "../../state/selection/open_step";
import { aggregationLabel, ROLE_HINT, rankLabel, rankOptions } from "../../state/selection/options";
import { FORWARD } from "../../state/selection/selection";
import type { Shown, Store } from "../../state/store";
import { showModule } from "../../state/tab_options/module_place";
import { Button } from "../../ui/controls/button";
import { memo } from "../../ui/memo";
import {
  brief,
  byteSize,
  counted,
  exactText,
  nodeLabel,
  numberText,
  roleLabel,
  shapeText,
  share,
  sizeOf,
  sourceText,
} from "../../ui/text/format";
import { Name } from "../../ui/text/name";
import { isOutsideOptimizers, learningRatesText, lossScales, placeOfParameter, shardText } from "../../ui/text/training_text";
import { NodeFindings, OtherRecordings } from "./node_findings";
import { estimateSentence, type ParameterChange, parameterChange } from "./parameter_change";
import { Remarks } from "./remarks";

/** Stands for what is not loaded yet. */
const NOT_YET = "\u2026";

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
  if (record !== undefined && facts === undefined) {
    store.bundle.chunks.request(open.content.numbers.overviewChunks(record, 0));
  }
  const ofStep = store.bundle.facts(open.trial, step);
  const network = store.bundle.network(open.trial);
  const known = { step: ofStep.state === "ready" ? ofStep.value : null, network: network.state === "ready" ? network.value : null };
  const change =
    known.network && known.step && tensor >= 0
      ? parameterChange(store.bundle, open.content, known.network, known.step, layout.tensors.name[tensor] ?? "")
      : null;
  const shard = layout.tensors.shard[tensor] ?? null;
  const source = layout.sources[layout.tensors.source[tensor] ?? -1];
  return (
    <div class="summary" data-testid="summary">
      <h2 title={selection.node}>
        <bdi>{nodeLabel(selection.node)}</bdi>
        {selection.role !== selection.node && (
          <span class="soft">
            {" "}
            / <bdi>{roleLabel(selection.role)}</bdi>
          </span>
        )}
      </h2>
      <dl>
        <Entry name="trial" value={selection.trial} />
        {rankOptions(store.bundle, selection.trial).length > 1 && <Entry name="rank" value={rankLabel(open.trial)} />}
        <Entry name="step" value={stepLabel(selection.step)} />
        <Entry name="iteration" value={String(selection.iteration)} />
        <Entry name="step type" value={store.bundle.typeOf(open.trial, step)} />
        <Entry name="batch size" value={String(steps.batch_size[step] ?? "")} />
        {time !== null && <Entry name="time" value={`${time.toFixed(1)} s`} />}
        <Entry
          name="batch/sample"
          isLine
          value={aggregationLabel(selection.aggregation, open.samples, (position) => store.bundle.text(position))}
        />
        <Entry name="node" value={selection.node} />
        <Entry name="shown as" value={selection.role} hint={ROLE_HINT} />
        {offer !== undefined && <Entry name="tensor" value={offer.name} />}
        {tensor >= 0 && (
          <>
            <Entry name="type" value={layout.tensors.type[tensor] ?? ""} />
            <Entry name="shape" value={shapeText(layout.tensors.shape[tensor] ?? [])} />
            {shard !== null && <Entry name="shard" value={shardText(shard)} />}
            <Entry name="dtype" value={dtypeText(layout.tensors.dtype[tensor], layout.tensors.stored[tensor])} />
            {layout.tensors.device[tensor] && <Entry name="device" value={layout.tensors.device[tensor]} />}
            {layout.tensors.operation[tensor] && <Entry name="operation" value={layout.tensors.operation[tensor]} />}
            {layout.tensors.module[tensor] && <ModuleEntry store={store} open={open} name={layout.tensors.module[tensor]} />}
            {source !== undefined && <SourceEntry source={source} />}
          </>
        )}
      </dl>
      {known.step !== null && <StepLine facts={known.step} network={known.network} tensor={layout.tensors.name[tensor] ?? ""} />}
      {ofStep.state === "failed" && (
        <p class="soft" data-testid="facts-failed">
          The details of this step could not be loaded: {ofStep.error.message}
        </p>
      )}
      {ofStep.state === "loading" && <p class="step-line soft">{NOT_YET}</p>}
      {record !== undefined && (
        <FactsRow facts={facts} dtype={layout.tensors.dtype[tensor] ?? "F32"} what={selection.recording} whole={wholeOf(open, tensor)} />
      )}
      {change !== null && <ChangeRow change={change} />}
      <NodeFindings store={store} graph={open.graphs[selection.iteration]} node={selection.node} />
      <OtherRecordings store={store} open={open} tensor={tensor} shown={selection.recording} />
      <Remarks store={store} shown={shown} open={open} tensor={tensor} facts={facts} known={known} change={change} />
    </div>
  );
}

/** What belongs to the step as a whole, and the learning rate of a parameter that an optimizer holds. */
function StepLine({ facts, network, tensor }: { facts: StepFacts; network: Network | null; tensor: string }) {
  const isTrained = network !== null && placeOfParameter(network, tensor) !== null && !isOutsideOptimizers(network, tensor);
  const rates = facts.learning_rates === null || !isTrained ? "" : learningRatesText(facts.learning_rates, network);
  const scales = lossScales(facts);
  return (
    <dl class="step-line" aria-label="About the step">
      {rates !== "" && <Entry name="learning rate" value={rates} />}
      {scales !== "" && <Entry name="loss scale" value={scales} />}
      {facts.held_bytes !== null && (
        <Entry name="held memory" value={byteSize(facts.held_bytes)} hint="The most memory that the recorder held for this step" />
      )}
      {facts.session > 0 && (
        <Entry name="session" value={String(facts.session + 1)} hint="The run was resumed; the About tab lists its sessions" />
      )}
    </dl>
  );
}

interface EntryProps {
  name: string;
  value: string;
  hint?: string;
  /** Is one line, whatever is selected, so that what is below stays in its place. */
  isLine?: boolean;
}

const Entry = memo(({ name, value, hint, isLine = false }: EntryProps) => (
  <div class={isLine ? "whole line" : ""}>
    <dt>{name}</dt>
    <dd data-testid={`summary-${name.replace(/[ /]/g, "-")}`} title={hint ?? value}>
      <Name text={value} />
    </dd>
  </div>
));

/** The name leads to the module's call, if the calls of modules were recorded. */
function ModuleEntry({ store, open, name }: { store: Store; open: OpenStep; name: string }) {
  return store.bundle.callSet(open.trial, open.step).length === 0 ? (
    <Entry name="module" value={name} />
  ) : (
    <div>
      <dt>module</dt>
      <dd data-testid="summary-module">
        <Button class="link" title="Show it on the Modules tab" onClick={() => showModule(store, name)}>
          <bdi>{name}</bdi>
        </Button>
      </dd>
    </div>
  );
}

/** It is read whole: the line stands at its end. */
function SourceEntry({ source }: { source: SourceLine }) {
  return (
    <div class="whole">
      <dt>made at</dt>
      <dd data-testid="summary-made-at" title="The innermost line of the project that led to the operation">
        <bdi class="mono">{sourceText(source)}</bdi>
      </dd>
    </div>
  );
}

function dtypeText(dtype = "", stored = ""): string {
  return dtype === stored ? dtype : `${dtype}, stored as ${stored}`;
}

/** How many values a tensor has on all samples, and whether it has several; the counts of all ranks are of more. */
function wholeOf({ content: { layout }, trial }: OpenStep, tensor: number): { values: number | null; isBatch: boolean } {
  const { shape, batch_dimension: batchDimension } = layout.tensors;
  const values = trial.rank === null ? null : sizeOf(shape[tensor] ?? []);
  return { values, isBatch: batchDimension[tensor] !== null };
}

interface FactsProps {
  facts: Facts | undefined;
  dtype: string;
  /** The recording type that they are of. */
  what: string;
  whole: ReturnType<typeof wholeOf>;
}

/** Counts over all values of the whole batch, whatever sample is selected. The row is there before its numbers are. */
function FactsRow({ facts, dtype, what, whole: { values, isBatch } }: FactsProps) {
  const count = (value: Facts["nan"] | undefined): string => (value === undefined ? NOT_YET : share(value, values));
  const bad = (value: Facts["nan"] | undefined): boolean => value !== undefined && Number(value) > 0;
  const extreme = (value: Facts["smallest"] | undefined): string =>
    value === undefined ? NOT_YET : Number.isNaN(Number(value)) ? "none" : numberText(value, dtype);
  const exact = (value: Facts["smallest"] | undefined): string => (value === undefined ? "" : exactText(value, dtype));
  return (
    <>
      <p class="soft facts-of" data-testid="facts-of">
        {values === null ? "Values" : counted(values, "value")}
        {what !== FORWARD && (
          <>
            {" "}
            of <bdi>{what}</bdi>
          </>
        )}
        {isBatch && ", of all samples in the batch"}:
      </p>
      <dl class="facts" aria-label="Over all values of the whole batch" title="Over all values of the whole batch">
        <Fact name="NaN" value={count(facts?.nan)} bad={bad(facts?.nan)} testId="fact-nan" />
        <Fact name="+inf" value={count(facts?.positiveInfinity)} bad={bad(facts?.positiveInfinity)} testId="fact-positive-infinity" />
        <Fact
          name={"\u2212inf"}
          value={count(facts?.negativeInfinity)}
          bad={bad(facts?.negativeInfinity)}
          testId="fact-negative-infinity"
        />
        <Fact name="zeros" value={count(facts?.zeros)} testId="fact-zeros" />
        <Fact name="min" value={extreme(facts?.smallest)} exact={exact(facts?.smallest)} testId="fact-min" />
        <Fact name="max" value={extreme(facts?.largest)} exact={exact(facts?.largest)} testId="fact-max" />
      </dl>
    </>
  );
}

/** What the step did to the selected parameter. */
function ChangeRow({ change }: { change: ParameterChange }) {
  const { norm, updateNorm } = change;
  const text = (value: number | undefined): string => (value === undefined ? NOT_YET : brief(value));
  const ratio = norm === undefined || updateNorm === undefined ? undefined : updateNorm / norm;
  return (
    <>
      <dl
        class="facts facts-wide"
        aria-label="What the step did to this parameter"
        title="Euclidean norms: before the step, of its change, and the second over the first"
      >
        <Fact name="norm of the parameter" value={text(norm)} exact={String(norm)} bad={isBad(norm)} testId="fact-norm" />
        <Fact
          name="norm of its update"
          value={text(updateNorm)}
          exact={String(updateNorm)}
          bad={isBad(updateNorm)}
          testId="fact-update-norm"
        />
        <Fact name="update / parameter" value={norm === 0 ? "\u2013" : text(ratio)} exact={String(ratio)} testId="fact-update-ratio" />
      </dl>
      {change.estimate !== null && (
        <p class="soft" data-testid="fact-estimate">
          {estimateSentence(change)}
        </p>
      )}
    </>
  );
}

function isBad(value: number | undefined): boolean {
  return value !== undefined && !Number.isFinite(value);
}

interface FactProps {
  name: string;
  value: string;
  /** With all digits. */
  exact?: string;
  bad?: boolean;
  testId: string;
}

const Fact = memo(({ name, value, exact, bad = false, testId }: FactProps) => (
  <div class={bad ? "fact-bad" : ""}>
    <dt>{bad ? `! ${name}` : name}</dt>
    <dd data-testid={testId} title={exact}>
      {value}
    </dd>
  </div>
));
