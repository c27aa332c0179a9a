/** The recordings that a page comes from: who wrote them, and whether they are whole. */

import type { AboutRecording, Session } from "../data/types";
import { counted, grouped } from "./format";
import { TableFrame } from "./table_frame";

export function Recordings({ recordings }: { recordings: readonly AboutRecording[] }) {
  if (recordings.length === 0) {
    return null;
  }
  const hasRanks = recordings.some(({ world_size }) => world_size > 1);
  const resumed = recordings.filter(({ sessions }) => sessions.length > 1);
  return (
    <>
      <h3>Recordings</h3>
      <TableFrame name="Recordings">
        <table data-testid="recordings">
          <thead>
            <tr><th scope="col">Trial</th>{hasRanks && <th scope="col">Rank</th>}<th scope="col">Recorded by</th><th scope="col">PyTorch</th><th scope="col">Started</th><th scope="col">State</th></tr>
          </thead>
          <tbody>
            {recordings.map((recording, k) => (
              <tr key={k}>
                <td><bdi>{recording.trial}</bdi></td>
                {hasRanks && <td>{recording.world_size > 1 ? `${recording.rank} of ${grouped(recording.world_size)}` : "\u2013"}</td>}
                <td><bdi>{recording.writer}</bdi></td>
                <td><bdi>{recording.torch_version}</bdi></td>
                <td><bdi>{recording.started}</bdi></td>
                <td>{stateOf(recording.sessions)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {resumed.map((recording, k) => <Sessions key={k} recording={recording} />)}
    </>
  );
}

/** How the process that wrote last ended. */
export function stateOf(sessions: readonly Session[]): string {
  const closed = sessions[sessions.length - 1]?.closed ?? null;
  return closed === null ? "\u2013" : closed ? "ended regularly" : "its process ended early, or was still recording";
}

function Sessions({ recording }: { recording: AboutRecording }) {
  const { trial, rank, world_size: world, sessions, left_behind: leftBehind } = recording;
  return (
    <>
      <p class="list-title">
        <bdi>{trial}</bdi>{world > 1 && `, rank ${rank},`} was resumed: {counted(sessions.length, "session")}{leftBehind > 0 && `, and ${counted(leftBehind, "recorded step")} left behind, which later sessions recorded anew`}
      </p>
      <ol data-testid="sessions">
        {sessions.map((session, k) => <li key={k}>{sessionText(session, k === sessions.length - 1)}</li>)}
      </ol>
    </>
  );
}

/** What a session recorded; that one before the last was not ended regularly is what being resumed means. */
export function sessionText({ first, last, steps, closed }: Session, isLast: boolean): string {
  const what = first === null || last === null ? "no steps in use" : first === last ? `step ${first}` : `steps ${first} to ${last} (${grouped(steps)} recorded)`;
  return closed === false ? `${what}; ${isLast ? stateOf([{ first, last, steps, closed }]) : "its process ended early"}` : what;
}
