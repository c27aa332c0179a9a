/** What is in the page, where it comes from, and what is not in it. */

import { useState } from "preact/hooks";
import type { FindingsDocument } from "../../data/format/findings";
import { stepLabel } from "../../data/format/steps";
import type { Gap } from "../../data/format/types";
import { findingsOf, problemCount } from "../../state/findings/found";
import { linkToStep } from "../../state/findings/links";
import { rankLabel } from "../../state/selection/options";
import { ONLY_RANK } from "../../state/selection/selection";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { FileChooser, type FileOpening } from "../../ui/controls/file_chooser";
import { Hint } from "../../ui/controls/hint";
import { TableFrame, TableHead } from "../../ui/controls/table_frame";
import { DocumentView } from "../../ui/notices/document_loading";
import { byteSize, counted, grouped, keyOf } from "../../ui/text/format";
import { LinkedText } from "../../ui/text/linked_text";
import { nearnessText } from "../../ui/text/near_step";
import { Optimizers } from "./optimizers";
import { Recordings } from "./recordings";

/** Gaps that are shown at once. */
const PAGE = 200;

export function AboutView({ store, opening }: { store: Store; opening: FileOpening }) {
  const { index } = store.bundle;
  const files = store.files.value;
  const recorded = index.trials.filter((trial) => trial.rank !== null);
  const steps = recorded.reduce((sum, trial) => sum + trial.steps.step.length, 0);
  const trials = new Set(index.trials.map((trial) => trial.name)).size;
  const raw = index.chunks.bytes.reduce((sum, bytes) => sum + bytes, 0);
  const outside = index.chunks.inline.filter((inline) => inline === 0).length;
  const graphs = counted(index.structures.chunk.length, "dependency graph");
  const ownPlace = outside > 0 ? `${grouped(outside)} of them in the folder \u201cdata\u201d` : "all inside this page";
  const place = files.length > 0 ? "in the memory of this page" : ownPlace;
  const ranks = recorded.length > trials ? ` with ${counted(recorded.length, "rank")}` : "";
  return (
    <section class="page about" aria-label="About">
      <h2 dir="auto">{index.title}</h2>
      <dl class="facts-list">
        <Row name="Group" value={index.group} hint="The folder of the recordings. One page shows the trials of one group together." />
        <Row name="Written by" value={`${index.generator}, bundle format ${index.version}`} />
        <Row name="Holds" value={`${counted(trials, "trial")}${ranks}, ${counted(steps, "recorded step")}, ${graphs}`} />
        <Row name="Data" value={`${byteSize(raw)} in ${counted(index.chunks.bytes.length, "part")}, ${place}`} />
        <FindingsRow store={store} />
        {index.content_digest !== "" && <Row name="Content digest" value={index.content_digest} mono />}
      </dl>
      <p class="soft" data-testid="about-page">
        {store.isLive
          ? "Every two seconds, this page checks the files beside it for newer data. It is built to make no other request."
          : "This page is built to make no request."}{" "}
        Its policy blocks fetches. You can keep, send and open it without a network{files.length === 0 ? "." : ", with its original data."}
      </p>
      {files.length > 0 && (
        <p data-testid="about-opened">
          This data was opened from <bdi>{files.map((name) => `\u201c${name}\u201d`).join(", ")}</bdi> and is not in the file of this page.
          It is gone when you close or reload the page, and a link to it works only after{" "}
          {files.length === 1 ? "that file has" : "those files have"} been opened. To keep or send it, keep or send{" "}
          {files.length === 1 ? "that file" : "those files"}.
        </p>
      )}
      <FileChooser {...opening} />
      <Recordings index={index} />
      <h3>
        Optimizers
        <OfTrial store={store} />
      </h3>
      <DocumentView store={store} read={(bundle, trial) => bundle.network(trial)} what="the network">
        {(network) => <Optimizers network={network} />}
      </DocumentView>
      <Sentences store={store} title="Left out on purpose" sentences={index.about.omissions} testId="omissions" />
      <Sentences store={store} title="Problems of the export" sentences={index.about.problems} testId="problems" />
      <h3>
        Gaps
        <OfTrial store={store} />
      </h3>
      <DocumentView store={store} read={(bundle, trial) => bundle.gaps(trial)} what="the list of gaps">
        {(gaps, trial) => <Gaps key={keyOf(trial)} store={store} gaps={gaps} />}
      </DocumentView>
    </section>
  );
}

/** Whose they are, where there are several trials or ranks. */
function OfTrial({ store }: { store: Store }) {
  const trial = store.trial.value;
  const { rank } = store.selection.value;
  return trial === undefined || store.bundle.index.trials.length < 2 ? null : (
    <>
      {" "}
      of <bdi>{trial.name}</bdi>
      {rank !== ONLY_RANK && `, ${rankLabel(trial)}`}
    </>
  );
}

function Row({ name, value, hint, mono }: { name: string; value: string; hint?: string; mono?: boolean }) {
  return (
    <div>
      <dt>
        {name}
        {hint !== undefined && (
          <Hint of={name} testid={`hint-${name.toLowerCase()}`}>
            {hint}
          </Hint>
        )}
      </dt>
      <dd class={mono ? "mono" : ""}>
        <bdi>{value}</bdi>
      </dd>
    </div>
  );
}

interface SentencesProps {
  store: Store;
  title: string;
  sentences: readonly string[];
  testId: string;
}

function Sentences({ store, title, sentences, testId }: SentencesProps) {
  return (
    <>
      <h3>{title}</h3>
      {sentences.length === 0 ? (
        <p class="soft">None.</p>
      ) : (
        <ul data-testid={testId}>
          {sentences.map((sentence, k) => (
            <li key={k} dir="auto">
              <LinkedText store={store} text={sentence} step={null} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Gaps({ store, gaps }: { store: Store; gaps: readonly Gap[] }) {
  const [limit, setLimit] = useState(PAGE);
  if (gaps.length === 0) {
    return <p class="soft">None: the recorder reported nothing that it tried to record and could not.</p>;
  }
  return (
    <TableFrame name="Gaps">
      <table data-testid="gaps">
        <caption>{counted(gaps.length, "thing")} that could not be recorded</caption>
        <TableHead columns={["Step", "Iteration", "Recording type", "Tensor", "Reason"]} numbers={["Step", "Iteration"]} />
        <tbody>
          {gaps.slice(0, limit).map((gap, k) => (
            <tr key={k}>
              <td class="number">
                <StepOf store={store} step={gap.step} />
              </td>
              <td class="number">{gap.iteration ?? "\u2013"}</td>
              <td>
                <bdi>{gap.group ?? "\u2013"}</bdi>
              </td>
              <td>{gap.tensor === null ? "\u2013" : <LinkedText store={store} text={`\`${gap.tensor}\``} step={gap.step} />}</td>
              <td dir="auto">{gap.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {gaps.length > limit && <Button onClick={() => setLimit(limit + PAGE)}>Show more</Button>}
    </TableFrame>
  );
}

function StepOf({ store, step }: { store: Store; step: number | null }) {
  const trial = store.trial.value;
  const link = step === null || trial === undefined ? null : linkToStep(store.bundle, trial, step);
  const label = step === null ? "\u2013" : stepLabel(step);
  return link === null || step === null || trial === undefined ? (
    label
  ) : (
    <a href={link} title={nearnessText(trial, step) || undefined}>
      {label}
    </a>
  );
}

/** How much was found in the trial that is shown; nothing where no rule was checked. */
function FindingsRow({ store }: { store: Store }) {
  const document = findingsOf(store);
  return document === null ? null : <Row name="Findings" value={findingsText(document, store.trial.value?.name ?? "")} />;
}

function findingsText(document: FindingsDocument, trial: string): string {
  const [findings, problems] = [document.incidents.length, problemCount(document)];
  const where = `in the trial \u201c${trial}\u201d`;
  if (findings > 0) {
    return `${counted(findings, "finding")} ${where}, ${problems === 0 ? "none likely a problem" : counted(problems, "likely problem")}`;
  }
  return document.passed.length === 0 ? `nothing could be checked ${where}` : `nothing found ${where} by the rules that could be checked`;
}
