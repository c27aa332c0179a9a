/** One finding: what, where, since when, how large, and what to try. */

import type { FoundPlace, FoundProblem } from "../../data/format/findings";
import type { Trial } from "../../data/format/types";
import { linkToPlace, linkToStep } from "../../state/findings/links";
import type { Store } from "../../state/store";
import { CodeText } from "../../ui/text/code_text";
import { sourceText } from "../../ui/text/format";
import { EvidenceView } from "./evidence";
import { measured, placeText, SEVERITIES } from "./texts";

/** Places that are listed. */
const PLACES = 8;

interface Props {
  store: Store;
  trial: Trial;
  finding: FoundProblem;
}

export function Finding(props: Props) {
  const { store, trial, finding } = props;
  const numbers = measured(finding);
  return (
    <>
      <header class="finding-head">
        <span class={`severity severity-${finding.severity}`} data-testid="severity">
          {SEVERITIES[finding.severity]}
        </span>
        <h2 dir="auto">{finding.title}</h2>
        <code class="soft">{finding.rule}</code>
      </header>
      <p class="finding-message" dir="auto" data-testid="finding-message">
        <CodeText text={finding.message} />
      </p>
      <p class="finding-where">
        <Places {...props} />
        {finding.step !== null && (
          <>
            , since <StepLink store={store} trial={trial} step={finding.step} />
          </>
        )}
      </p>
      {numbers !== "" && (
        <p class="soft" dir="auto" data-testid="finding-measured">
          <CodeText text={numbers} />
        </p>
      )}
      {finding.advice.length > 0 && (
        <div class="advice">
          <strong>To try</strong>
          <ul data-testid="advice">
            {finding.advice.map((sentence, k) => (
              <li key={k} dir="auto">
                <CodeText text={sentence} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {finding.evidence.length > 0 && (
        <ul class="evidence-list">
          {finding.evidence.map((evidence, k) => (
            <EvidenceView key={k} store={store} trial={trial} evidence={evidence} />
          ))}
        </ul>
      )}
    </>
  );
}

function Places({ store, trial, finding }: Props) {
  const listed = finding.places.slice(0, PLACES);
  const step = finding.step ?? finding.evidence[0]?.step ?? null;
  return (
    <>
      {listed.map((place, k) => (
        <span key={k}>
          {k > 0 && ", "}
          <PlaceLink store={store} trial={trial} finding={finding} place={place} step={step} />
          {place.source !== null && (
            <>
              {" "}
              <bdi class="mono soft" data-testid="place-source">
                ({sourceText(place.source)})
              </bdi>
            </>
          )}
        </span>
      ))}
      {finding.places.length > listed.length && ` and ${finding.places.length - listed.length} more (${finding.places.length} places)`}
    </>
  );
}

function PlaceLink({ store, trial, finding, place, step }: Props & { place: FoundPlace; step: number | null }) {
  const recording = finding.evidence.find(({ name }) => name === place.name)?.group;
  const link = place.name === "" ? null : linkToPlace(store.bundle, trial, place, { step, recording });
  const text = <bdi class="mono">{placeText(place)}</bdi>;
  return link === null ? (
    text
  ) : (
    <a href={link} data-testid="place-link">
      {text}
    </a>
  );
}

function StepLink({ store, trial, step }: { store: Store; trial: Trial; step: number }) {
  const link = linkToStep(store.bundle, trial, step);
  return link === null ? (
    <span>step {step}</span>
  ) : (
    <a href={link} data-testid="since-link">
      step {step}
    </a>
  );
}
