/** The recordings that a page comes from: who wrote them, and whether they are whole. */

import { stepInWords, stepLabel } from "../../data/format/steps";
import type { AboutRecording, Index, RunOverview, Session, Trial } from "../../data/format/types";
import { TableFrame, TableHead } from "../../ui/controls/table_frame";
import { endingText } from "../../ui/text/ending";
import { counted, dateText, grouped } from "../../ui/text/format";
import { Name } from "../../ui/text/name";

/** The description of a recording; empty if unknown. */
const FACTS: readonly { name: string; of: (recording: AboutRecording, index: Index) => string }[] = [
  { name: "Recorded by", of: ({ writer }) => writer },
  { name: "PyTorch", of: ({ torch_version: version }) => version },
  { name: "Started", of: ({ started }) => dateText(started) },
  { name: "Outcome", of: outcomeOf },
];

export function Recordings({ index }: { index: Index }) {
  const { recordings } = index.about;
  if (recordings.length === 0) {
    return null;
  }
  const hasRanks = recordings.some(({ world_size }) => world_size > 1);
  // What is known of none has no column.
  const facts = FACTS.filter(({ of }) => recordings.some((recording) => of(recording, index) !== ""));
  const resumed = recordings.filter(({ sessions }) => sessions.length > 1);
  return (
    <>
      <h3>Recordings</h3>
      <TableFrame name="Recordings">
        <table data-testid="recordings">
          <TableHead columns={["Trial", ...(hasRanks ? ["Rank"] : []), ...facts.map(({ name }) => name)]} />
          <tbody>
            {recordings.map((recording, k) => (
              <tr key={k}>
                <td>
                  <Name text={recording.trial} />
                </td>
                {hasRanks && <td>{recording.world_size > 1 ? `${recording.rank} of ${grouped(recording.world_size)}` : "\u2013"}</td>}
                {facts.map(({ name, of }) => (
                  <td key={name}>
                    <bdi>{of(recording, index) || "unknown"}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {resumed.map((recording, k) => (
        <Sessions key={k} recording={recording} />
      ))}
    </>
  );
}

/** What the index says about how its trials ended. */
interface Outcomes {
  trials: readonly Pick<Trial, "name" | "rank">[];
  runs: readonly RunOverview[];
}

/** How the run ended, as the overview says it. A page without that says how its last process ended; empty where neither is known. */
export function outcomeOf({ trial, rank, sessions }: AboutRecording, { trials, runs }: Outcomes): string {
  const run = runs[trials.findIndex((other) => other.name === trial && other.rank === rank)];
  return (run === undefined ? "" : endingText(run)) || stateOf(sessions);
}

/** How the process that wrote last ended; empty where it is not known. */
export function stateOf(sessions: readonly Session[]): string {
  const closed = sessions[sessions.length - 1]?.closed ?? null;
  return closed === null ? "" : closed ? "finished" : "its process ended early, or was still recording";
}

function Sessions({ recording }: { recording: AboutRecording }) {
  const { trial, rank, world_size: world, sessions, left_behind: leftBehind } = recording;
  return (
    <>
      <p class="list-title">
        <bdi>{trial}</bdi>
        {world > 1 && `, rank ${rank},`} was resumed: {counted(sessions.length, "session")}
        {leftBehind > 0 && `, and ${counted(leftBehind, "recorded step")} left behind, which later sessions recorded again`}
      </p>
      <ol data-testid="sessions">
        {sessions.map((session, k) => (
          <li key={k}>{sessionText(session, k === sessions.length - 1)}</li>
        ))}
      </ol>
    </>
  );
}

/** What a session recorded; that one before the last was not ended regularly is what being resumed means. */
export function sessionText({ first, last, steps, closed }: Session, isLast: boolean): string {
  const what =
    first === null || last === null
      ? "no steps in use"
      : first === last
        ? stepInWords(first)
        : `steps ${stepLabel(first)} to ${stepLabel(last)} (${grouped(steps)} recorded)`;
  return closed === false ? `${what}; ${isLast ? stateOf([{ first, last, steps, closed }]) : "its process ended early"}` : what;
}
