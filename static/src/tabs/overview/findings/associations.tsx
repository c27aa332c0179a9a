/** What goes together in the trial: below the findings, since it is no problem. Folded if nothing does, or if there are problems. */

import type { AssociationsDocument } from "../../../data/format/findings";
import type { Trial } from "../../../data/format/types";
import type { Store } from "../../../state/store";
import { CodeText } from "../../../ui/text/code_text";
import { counted } from "../../../ui/text/format";
import { LinkedText } from "../../../ui/text/linked_text";
import { EvidenceView } from "./evidence";
import { checkedAssociations } from "./texts";

interface Props {
  store: Store;
  trial: Trial;
  associations: AssociationsDocument;
  /** Whether there is something more urgent. */
  isFolded: boolean;
}

export function AssociationsView({ store, trial, associations, isFolded }: Props) {
  const { caution, reported, more, checked } = associations;
  const lines = (
    <ul class="soft" data-testid="associations-checked">
      {checkedAssociations(associations).map((line, k) => (
        <li key={k} dir="auto">
          <CodeText text={line} />
        </li>
      ))}
    </ul>
  );
  if (reported.length === 0) {
    return (
      <details class="rules" data-testid="associations">
        <summary>Associations: {checked.length === 0 ? "not checked" : "none confirmed"}</summary>
        {lines}
      </details>
    );
  }
  const content = (
    <>
      <p class="soft">{caution}</p>
      <ol class="incidents">
        {reported.map(({ message, evidence }, k) => (
          <li key={k} class="incident" data-testid="association">
            <p class="finding-message" dir="auto">
              <LinkedText store={store} text={message} step={evidence[0]?.step ?? null} />
            </p>
            <ul class="evidence-list">
              {evidence.map((view, place) => (
                <EvidenceView key={place} store={store} trial={trial} evidence={view} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {more > 0 && <p class="soft">{counted(more, "smaller association")} not listed.</p>}
      {lines}
    </>
  );
  return isFolded ? (
    <details class="rules" data-testid="associations">
      <summary>{counted(reported.length + more, "association")}</summary>
      {content}
    </details>
  ) : (
    <section class="associations" aria-label="Associations" data-testid="associations">
      <h3>Associations</h3>
      {content}
    </section>
  );
}
