/** What is known of the run: how it ended, when and how long, and how it was set up. */

import type { ComponentChildren } from "preact";
import type { Index, RunOverview, Trial } from "../../../data/format/types";
import { readLink } from "../../../state/address/url";
import { linkToTrials } from "../../../state/comparison/links";
import { linkToFindings } from "../../../state/findings/links";
import { rankOf } from "../../../state/selection/options";
import type { Store } from "../../../state/store";
import { TableFrame, TableHead } from "../../../ui/controls/table_frame";
import { briefEnding, endedEarly, endingText } from "../../../ui/text/ending";
import { counted } from "../../../ui/text/format";
import { Name } from "../../../ui/text/name";
import { settingText } from "../../../ui/text/training_text";
import { Unbroken } from "../../../ui/text/unbroken";
import { areEvaluationsSteps, hardwareText, optimizerText, parametersText, stepsText, timeText } from "./run_texts";

/** Hyperparameters that are shown at once; more are folded. */
const SETTINGS = 6;

/** Trials that are listed. */
const TRIALS = 8;

export function RunCard({ store, trial }: { store: Store; trial: Trial }) {
  const { index } = store.bundle;
  const run = runOf(index, trial);
  const recording = index.about.recordings.find(({ trial: name }) => name === trial.name);
  const versions = versionsOf(index, trial);
  const inPage = trial.steps.step.length;
  return (
    <section class="run-card" aria-label="Run" data-testid="run-card">
      <h2>
        Run
        {index.trials.length > 1 && (
          <>
            {" "}
            <bdi>{trial.name}</bdi>
          </>
        )}
      </h2>
      <dl class="facts-list">
        {run !== null && (
          <Row name="Outcome" text={endingText(run)}>
            <span class={endedEarly(run) ? "ended-early" : ""}>{endingText(run)}</span>
          </Row>
        )}
        <Row name="Began" text={timeText(run?.started || recording?.started || "", run?.seconds ?? null)} />
        <Row
          name="Steps"
          text={
            run === null
              ? `${counted(inPage, "recorded step")} in this page`
              : stepsText(run, inPage, trial.steps.step.at(-1) ?? null, areEvaluationsSteps(store.bundle, trial))
          }
        />
        {run !== null && (
          <>
            <Row name="Parameters" text={parametersText(run)} />
            <Row name="Ran on" text={hardwareText(run)} />
            <Row name={run.optimizers.length > 1 ? "Optimizers" : "Optimizer"} text={run.optimizers.map(optimizerText).join("; ")} />
          </>
        )}
        <Row name="Versions" text={versions} />
      </dl>
      {run !== null && <Settings run={run} />}
      <Trials store={store} shown={trial} />
    </section>
  );
}

/** Null where the page has nothing of it. */
function runOf(index: Index, trial: Trial): RunOverview | null {
  return index.runs[index.trials.indexOf(trial)] ?? null;
}

/** What wrote the recordings of a trial, each version once. */
function versionsOf({ about }: Index, trial: Trial): string {
  const own = about.recordings.filter(({ trial: name }) => name === trial.name);
  const versions = own.flatMap(({ torch_version: torch, writer }) => [...(torch === "" ? [] : [`PyTorch ${torch}`]), writer]);
  return [...new Set(versions.filter((text) => text !== ""))].join(", ");
}

/** Nothing where nothing is known. */
function Row({ name, text, children }: { name: string; text: string; children?: ComponentChildren }) {
  return text === "" ? null : (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{children ?? <Unbroken text={text} />}</bdi>
      </dd>
    </div>
  );
}

function Settings({ run: { config } }: { run: RunOverview }) {
  if (config.length === 0) {
    return null;
  }
  return (
    <details class="run-settings" open={config.length <= SETTINGS} data-testid="run-settings">
      <summary>{counted(config.length, "hyperparameter")}</summary>
      <dl class="facts-list">
        {config.map(([name, value], k) => (
          <div key={k}>
            <dt>
              <bdi class="mono">{name}</bdi>
            </dt>
            <dd>
              <bdi>
                <Unbroken text={settingText(value)} />
              </bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** How all trials ended, where there are several; each can be shown, or compared with the shown one. */
function Trials({ store, shown }: { store: Store; shown: Trial }) {
  const { index } = store.bundle;
  const trials = index.trials.filter((trial, k) => index.trials.findIndex(({ name }) => name === trial.name) === k);
  if (trials.length < 2) {
    return null;
  }
  // With the space beside it.
  const longest = Math.max(...trials.slice(0, TRIALS).map(({ name }) => name.length)) + 1.5;
  const ofShownRank = (trial: Trial): Trial =>
    index.trials.find((other) => other.name === trial.name && rankOf(store.bundle, other) === rankOf(store.bundle, shown)) ?? trial;
  return (
    <TableFrame name="Trials">
      <table data-testid="run-trials">
        <TableHead columns={["Trial", "Likely problems", ...(index.runs.length > 0 ? ["Outcome"] : [])]} numbers={["Likely problems"]} />
        <tbody>
          {trials
            .slice(0, TRIALS)
            .map(ofShownRank)
            .map((trial) => (
              <tr key={trial.name} aria-current={trial.name === shown.name ? "true" : undefined}>
                <td style={{ "--name-width": `${longest}ch` }}>
                  <a href={linkToFindings(store.bundle, trial)}>
                    <Name text={trial.name} />
                  </a>{" "}
                  {trial !== shown && <CompareLink store={store} shown={shown} trial={trial} />}
                </td>
                <td class="number">{trial.problems < 0 ? "not checked" : trial.problems}</td>
                {index.runs.length > 0 && (
                  <td title={endingText(runOf(index, trial)!)}>
                    <bdi>{briefEnding(runOf(index, trial)!)}</bdi>
                  </td>
                )}
              </tr>
            ))}
        </tbody>
      </table>
      {trials.length > TRIALS && <p class="soft">and {counted(trials.length - TRIALS, "more trial")}</p>}
    </TableFrame>
  );
}

/** Leads to where a trial and the shown one first differ. */
function CompareLink({ store, shown, trial }: { store: Store; shown: Trial; trial: Trial }) {
  const link = linkToTrials(store, shown, trial);
  const seek = ({ ctrlKey, metaKey, shiftKey }: MouseEvent): void => {
    // With one of these keys, the link opens elsewhere.
    if (link !== null && !ctrlKey && !metaKey && !shiftKey) {
      store.soughtDifference.value = readLink(link)?.view?.get("pin") ?? null;
      store.soughtValues.value = true;
    }
  };
  return link === null ? null : (
    <a
      class="compare-link"
      href={link}
      aria-label={`Compare with ${trial.name}`}
      title={`Show where ${shown.name} and ${trial.name} first differ`}
      onClick={seek}
    >
      Compare
    </a>
  );
}
