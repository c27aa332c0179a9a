/** What is in the page, where it comes from, and what is not in it. */

import { useState } from "preact/hooks";
import type { Gap } from "../data/types";
import type { Store } from "../state/store";
import { DocumentView } from "./documents_view";
import { byteSize, counted, grouped } from "./format";

/** Gaps that are shown at once. */
const PAGE = 200;

export function AboutView({ store }: { store: Store }) {
  const { index } = store.bundle;
  const steps = index.trials.reduce((sum, trial) => sum + trial.steps.step.length, 0);
  const raw = index.chunks.bytes.reduce((sum, bytes) => sum + bytes, 0);
  const outside = index.chunks.inline.filter((inline) => inline === 0).length;
  return (
    <section class="page about" aria-label="About">
      <h2 dir="auto">{index.title}</h2>
      {index.description !== "" && <p dir="auto" class="description">{index.description}</p>}
      <dl class="facts-list">
        <Row name="Group" value={index.group} />
        <Row name="Written by" value={`${index.generator}, bundle format ${index.version}`} />
        <Row name="Holds" value={`${counted(index.trials.length, "trial")}, ${counted(steps, "recorded step")}, ${counted(index.structures.chunk.length, "dependency graph")}`} />
        <Row name="Data" value={`${byteSize(raw)} in ${counted(index.chunks.bytes.length, "part")}${outside > 0 ? `, ${grouped(outside)} of them in the folder \u201cdata\u201d` : ", all inside this page"}`} />
        <Row name="Content digest" value={index.content_digest} mono />
      </dl>
      <p class="soft">This page is built to make no request, and its policy blocks fetches. It can be kept, sent and opened without a network.</p>
      <Recordings store={store} />
      <Sentences title="Left out on purpose" sentences={index.about.omissions} testId="omissions" />
      <Sentences title="Problems" sentences={index.about.problems} testId="problems" />
      <h3>Gaps{index.trials.length > 1 && <> in <bdi>{store.trial.value?.name}</bdi></>}</h3>
      <DocumentView store={store} read={(bundle, trial) => bundle.gaps(trial)} what="the list of gaps">
        {(gaps, trial) => <Gaps key={trial.name} gaps={gaps} />}
      </DocumentView>
    </section>
  );
}

function Row({ name, value, mono }: { name: string; value: string; mono?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={mono ? "mono" : ""}><bdi>{value}</bdi></dd>
    </div>
  );
}

function Recordings({ store }: { store: Store }) {
  const { recordings } = store.bundle.index.about;
  return recordings.length === 0 ? null : (
    <>
      <h3>Recordings</h3>
      <div class="table-frame">
        <table>
          <thead>
            <tr><th scope="col">Trial</th><th scope="col">Recorded by</th><th scope="col">PyTorch</th><th scope="col">Started</th></tr>
          </thead>
          <tbody>
            {recordings.map((recording, k) => (
              <tr key={k}>
                <td><bdi>{recording.trial}</bdi></td>
                <td><bdi>{recording.writer}</bdi></td>
                <td><bdi>{recording.torch_version}</bdi></td>
                <td><bdi>{recording.started}</bdi></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Sentences({ title, sentences, testId }: { title: string; sentences: readonly string[]; testId: string }) {
  return (
    <>
      <h3>{title}</h3>
      {sentences.length === 0 ? <p class="soft">None.</p> : <ul data-testid={testId}>{sentences.map((sentence, k) => <li key={k} dir="auto">{sentence}</li>)}</ul>}
    </>
  );
}

function Gaps({ gaps }: { gaps: readonly Gap[] }) {
  const [limit, setLimit] = useState(PAGE);
  if (gaps.length === 0) {
    return <p class="soft">None: everything that should have been recorded was.</p>;
  }
  return (
    <div class="table-frame">
      <table data-testid="gaps">
        <caption>{counted(gaps.length, "thing")} that could not be recorded</caption>
        <thead>
          <tr><th scope="col" class="number">Step</th><th scope="col" class="number">Iteration</th><th scope="col">Recording type</th><th scope="col">Tensor</th><th scope="col">Reason</th></tr>
        </thead>
        <tbody>
          {gaps.slice(0, limit).map((gap, k) => (
            <tr key={k}>
              <td class="number">{gap.step ?? "\u2013"}</td>
              <td class="number">{gap.iteration ?? "\u2013"}</td>
              <td><bdi>{gap.group ?? "\u2013"}</bdi></td>
              <td><bdi>{gap.tensor ?? "\u2013"}</bdi></td>
              <td dir="auto">{gap.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {gaps.length > limit && <button type="button" onClick={() => setLimit(limit + PAGE)}>Show more</button>}
    </div>
  );
}
