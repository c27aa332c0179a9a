/** What goes together in the trial: below the findings, since it is no problem. */

import type { AssociationsDocument } from "../../data/format/findings";
import type { Trial } from "../../data/format/types";
import type { Store } from "../../state/store";
import { counted } from "../../ui/text/format";
import { EvidenceView } from "./evidence";

interface Props {
  store: Store;
  trial: Trial;
  associations: AssociationsDocument;
}

export function AssociationsView({ store, trial, associations }: Props) {
  const { caution, reported, more, checked, not_checked: notChecked, notes } = associations;
  return (
    <section class="associations" aria-label="Associations" data-testid="associations">
      <h2>Associations</h2>
      {reported.length > 0 && <p class="soft">{caution}</p>}
      {reported.length > 0 && (
        <ul class="incidents">
          {reported.map(({ message, evidence }, k) => (
            <li key={k} class="incident" data-testid="association">
              <p class="finding-message" dir="auto">
                {message}
              </p>
              <ul class="evidence-list">
                {evidence.map((view, place) => (
                  <EvidenceView key={place} store={store} trial={trial} evidence={view} />
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="soft">{counted(more, "smaller association")} not listed.</p>}
      <Lines lines={checked.map(({ title, result }) => `${title}: ${result}`)} testId="associations-checked" />
      <Lines lines={notChecked.map(({ title, result }) => `Not checked: ${title}: ${result}`)} testId="associations-not-checked" />
      <Lines lines={notes} testId="associations-notes" />
    </section>
  );
}

function Lines({ lines, testId }: { lines: readonly string[]; testId: string }) {
  return lines.length === 0 ? null : (
    <ul class="soft" data-testid={testId}>
      {lines.map((line, k) => (
        <li key={k} dir="auto">
          {line}
        </li>
      ))}
    </ul>
  );
}
