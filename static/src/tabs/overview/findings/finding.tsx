/** One finding: what, where, since when, how large, and what to try; beside it what shows it. */

import type { FoundPlace, FoundProblem } from "../../../data/format/findings";
import { stepInWords } from "../../../data/format/steps";
import type { Trial } from "../../../data/format/types";
import { NO_OPTIONS, withOption } from "../../../state/address/view_options";
import { linkToPlace, linkToStepOf } from "../../../state/findings/links";
import { stepSince } from "../../../state/selection/nearest_step";
import type { Store } from "../../../state/store";
import { CodeText } from "../../../ui/text/code_text";
import { grouped, sourceText } from "../../../ui/text/format";
import { LinkedText } from "../../../ui/text/linked_text";
import { Name } from "../../../ui/text/name";
import { EvidenceView } from "./evidence";
import { besideOf, compared, measured, placeText, SEVERITIES } from "./texts";

/** Places that are listed. */
const PLACES = 8;

interface Props {
  store: Store;
  trial: Trial;
  finding: FoundProblem;
}

export function Finding({ isFirst, ...props }: Props & { isFirst: boolean }) {
  const { store, trial, finding } = props;
  const { evidence } = finding;
  const shown = compared(evidence);
  const numbers = measured(finding);
  const step = finding.step ?? evidence[0]?.step ?? null;
  return (
    <div class={["finding", "finding-with-evidence", "finding-with-two"].slice(0, shown + 1).join(" ")}>
      <header class="finding-head">
        <span class={`severity severity-${finding.severity}`} data-testid="severity">
          {SEVERITIES[finding.severity]}
        </span>
        <h3 dir="auto">{finding.title}</h3>
        <code class="soft">{finding.rule}</code>
      </header>
      <div class="finding-text">
        <p class="finding-message" dir="auto" data-testid="finding-message">
          <LinkedText store={store} text={finding.message} step={step} finding={finding} />
        </p>
        <p class="finding-where" data-testid="finding-where">
          <span class="soft">Where:</span> <Places {...props} />
          {". "}
          {finding.step === null ? (
            <span class="soft">In the whole trial.</span>
          ) : (
            <>
              <span class="soft">Since:</span> <StepLink {...props} step={finding.step} />.
            </>
          )}
          {finding.look_next.length > 0 && (
            <span data-testid="look-next">
              {" "}
              <span class="soft">Look next:</span> <PlaceLinks {...props} places={finding.look_next} step={evidenceStep(finding)} />.
            </span>
          )}
        </p>
        {numbers !== "" && (
          <p class="soft" dir="auto" data-testid="finding-measured">
            <LinkedText store={store} text={numbers} step={step} finding={finding} />
          </p>
        )}
      </div>
      {evidence.length > 0 && (
        <ul class="evidence-list finding-evidence">
          {evidence.slice(0, shown).map((each, k) => (
            <EvidenceView key={k} store={store} trial={trial} evidence={each} beside={besideOf(evidence, shown, k)} />
          ))}
        </ul>
      )}
      <div class="finding-more">
        <Advice finding={finding} isOpen={isFirst} />
        {evidence.length > shown && (
          <details data-testid="more-evidence">
            <summary>More evidence: {evidence.length - shown}</summary>
            <ul class="evidence-list">
              {evidence.slice(shown).map((each, k) => (
                <EvidenceView key={k} store={store} trial={trial} evidence={each} />
              ))}
            </ul>
          </details>
        )}
      </div>
    </div>
  );
}

/** What to try, and what would show that the finding is wrong. */
function Advice({ finding: { advice, wrong_if: wrongIf }, isOpen }: { finding: FoundProblem; isOpen: boolean }) {
  if (advice.length === 0 && wrongIf === "") {
    return null;
  }
  return (
    <details class="advice" open={isOpen}>
      <summary>{advice.length > 0 ? "To try" : "How to check"}</summary>
      {advice.length > 0 && (
        <ul data-testid="advice">
          {advice.map((sentence, k) => (
            <li key={k} dir="auto">
              <CodeText text={sentence} />
            </li>
          ))}
        </ul>
      )}
      {wrongIf !== "" && (
        <p dir="auto" data-testid="wrong-if">
          <span class="soft">This finding is wrong if: </span>
          <CodeText text={wrongIf} />
        </p>
      )}
    </details>
  );
}

function Places({ store, trial, finding }: Props) {
  const listed = finding.places.slice(0, PLACES);
  const step = evidenceStep(finding);
  return (
    <>
      <PlaceLinks store={store} trial={trial} finding={finding} places={listed} step={step} />
      {finding.places.length > listed.length && <More store={store} trial={trial} finding={finding} step={step} count={listed.length} />}
    </>
  );
}

/** A step that shows the places of a finding. */
function evidenceStep(finding: FoundProblem): number | null {
  return finding.step ?? finding.evidence[0]?.step ?? null;
}

function PlaceLinks({ store, trial, finding, places, step }: Props & { places: readonly FoundPlace[]; step: number | null }) {
  return (
    <>
      {places.map((place, k) => (
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
    </>
  );
}

/** How many more places there are: the ranking of the nodes, where the first of them is in a graph. */
function More({ store, trial, finding: { places, evidence }, step, count }: Props & { step: number | null; count: number }) {
  const view = withOption(NO_OPTIONS, "ranking", "largest,abs_max");
  const link = linkToPlace(store.bundle, trial, places[0]!, { step, recording: evidence[0]?.group, view });
  const text = `${places.length - count} more`;
  return (
    <>
      {" and "}
      {link === null ? text : <a href={link}>{text}</a>} ({places.length} places)
    </>
  );
}

function PlaceLink({ store, trial, finding, place, step }: Props & { place: FoundPlace; step: number | null }) {
  const recording = finding.evidence.find(({ name }) => name === place.name)?.group;
  const link = place.name === "" ? null : linkToPlace(store.bundle, trial, place, { step, recording });
  const text = (
    <span class="mono">
      <Name text={placeText(place)} />
    </span>
  );
  return link === null ? (
    text
  ) : (
    <a href={link} data-testid="place-link">
      {text}
    </a>
  );
}

function StepLink({ store, trial, finding, step }: Props & { step: number }) {
  const shown = stepSince(trial, step);
  const link = shown === null ? null : linkToStepOf(store.bundle, trial, shown, finding);
  return link === null ? (
    <span>{stepInWords(step)}</span>
  ) : (
    <>
      <a href={link} data-testid="since-link">
        {stepInWords(step)}
      </a>
      {shown !== null && shown !== step && <span class="soft"> (recorded: {stepInWords(shown, grouped)})</span>}
    </>
  );
}
