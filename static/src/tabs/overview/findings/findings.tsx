/** What is wrong in the trial, probable causes first, and what was checked. */

import type { ComponentChildren } from "preact";
import type { FindingsDocument, NotCheckedRule } from "../../../data/format/findings";
import type { Trial } from "../../../data/format/types";
import { otherCheckedTrials, problemCount } from "../../../state/findings/found";
import { linkToFindings } from "../../../state/findings/links";
import type { Store } from "../../../state/store";
import { DocumentView } from "../../../ui/notices/document_loading";
import { CodeText } from "../../../ui/text/code_text";
import { counted, keyOf, sentence } from "../../../ui/text/format";
import { AssociationsView } from "./associations";
import { Finding } from "./finding";
import { notApplying, nothingFound, reasonsNotChecked, summary, unchecked } from "./texts";

/** Other trials that are named. */
const TRIALS = 8;

/** Reasons that are listed where nothing was found. */
const REASONS = 3;

export function FindingsView({ store }: { store: Store }) {
  return (
    <DocumentView store={store} read={(bundle, trial) => bundle.findings(trial)} what="the findings">
      {(document, trial) =>
        document === null ? (
          <section class="findings" aria-label="Findings">
            <h2>Findings</h2>
            <p data-testid="findings-empty">No rule was checked on this trial. Export the recording again to check it.</p>
          </section>
        ) : (
          <FindingList key={keyOf(trial)} store={store} trial={trial} document={document} />
        )
      }
    </DocumentView>
  );
}

function FindingList({ store, trial, document }: { store: Store; trial: Trial; document: FindingsDocument }) {
  const { incidents, passed, muted } = document;
  const { lacking, others } = unchecked(document);
  return (
    <section class="findings" aria-label="Findings">
      <h2>Findings</h2>
      <p class={incidents.length === 0 ? "" : "soft"} data-testid="findings-summary">
        {incidents.length === 0 ? nothingFound(document) : summary(document)}
      </p>
      {incidents.length === 0 && document.steps > 0 && <Reasons document={document} />}
      <OtherTrials store={store} trial={trial} />
      <ol class="incidents" data-testid="incidents">
        {incidents.map(({ cause, consequences }, k) => (
          <li key={k} class="incident" data-testid="incident" data-rule={cause.rule}>
            <Finding store={store} trial={trial} finding={cause} isFirst={k === 0} />
            {consequences.length > 0 && (
              <details data-testid="consequences" open={consequences.some(({ severity }) => severity > cause.severity)}>
                <summary>Probably follows from it: {counted(consequences.length, "finding")}</summary>
                <ul class="consequences">
                  {consequences.map((finding, place) => (
                    <li key={place} data-testid="consequence" data-rule={finding.rule}>
                      <Finding store={store} trial={trial} finding={finding} isFirst={false} />
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ol>
      {muted.length > 0 && (
        <p class="soft" data-testid="muted">
          Muted: {muted.map(({ title, findings }) => `${title} (${findings})`).join(", ")}
        </p>
      )}
      <Folded title={`Checked and found nothing: ${counted(passed.length, "rule")}`} count={passed.length} testId="passed">
        {passed.map(({ rule, title }) => (
          <li key={rule} dir="auto">
            <code>{rule}</code> <span class="soft">looked for: {title}</span>
          </li>
        ))}
      </Folded>
      <Folded title={`Could not be checked: ${counted(lacking.length, "rule")}`} count={lacking.length} testId="not-checked">
        <Unchecked rules={lacking} />
      </Folded>
      <Folded title={notApplying(others.length)} count={others.length} testId="not-applying">
        <Unchecked rules={others} />
      </Folded>
      {document.associations !== null && (
        <AssociationsView store={store} trial={trial} associations={document.associations} isFolded={problemCount(document) > 0} />
      )}
    </section>
  );
}

/** Why each was not checked, and what to record so that it can be. */
function Unchecked({ rules }: { rules: readonly NotCheckedRule[] }) {
  return (
    <>
      {rules.map(({ rule, title, reason, how_to_record: howToRecord }) => (
        <li key={rule} dir="auto">
          <code>{rule}</code>: <CodeText text={`${sentence(reason)} ${howToRecord}`} /> <span class="soft">It looks for: {title}</span>
        </li>
      ))}
    </>
  );
}

/** Why rules could not be checked, where nothing was found: those reasons first that most of them have. */
function Reasons({ document }: { document: FindingsDocument }) {
  const reasons = reasonsNotChecked(document);
  return reasons.length === 0 ? null : (
    <ul class="soft reasons" data-testid="reasons">
      {reasons.slice(0, REASONS).map(({ reason, count, howToRecord }) => (
        <li key={reason} dir="auto">
          {counted(count, "rule")} not checked: <CodeText text={`${sentence(reason)} ${howToRecord}`} />
        </li>
      ))}
      {reasons.length > REASONS && <li>{counted(reasons.length - REASONS, "more reason")} below, under “Could not be checked”.</li>}
    </ul>
  );
}

/** Which other trials have likely problems, so that nobody has to open each. */
function OtherTrials({ store, trial }: { store: Store; trial: Trial }) {
  const others = otherCheckedTrials(store, trial);
  const wrong = others.filter(({ problems }) => problems > 0);
  if (others.length === 0) {
    return null;
  }
  return (
    <p class="soft" data-testid="other-trials">
      {wrong.length === 0 ? `No likely problem in ${counted(others.length, "other trial")}.` : "Other trials with likely problems: "}
      {wrong.slice(0, TRIALS).map((other, k) => (
        <span key={other.name}>
          {k > 0 && ", "}
          <a href={linkToFindings(store.bundle, other)}>
            <bdi>{other.name}</bdi>
          </a>{" "}
          ({other.problems})
        </span>
      ))}
      {wrong.length > TRIALS && ` and ${wrong.length - TRIALS} more`}
    </p>
  );
}

function Folded({ title, count, testId, children }: { title: string; count: number; testId: string; children: ComponentChildren }) {
  return count === 0 ? null : (
    <details class="rules" data-testid={testId}>
      <summary>{title}</summary>
      <ul>{children}</ul>
    </details>
  );
}
