/** What shows a finding: a curve of a statistic with the step marked, or a histogram of the values; and a link to either. */

import type { FoundEvidence } from "../../../data/format/findings";
import { stepInWords } from "../../../data/format/steps";
import type { Trial } from "../../../data/format/types";
import { linkToEvidence } from "../../../state/findings/links";
import type { Store } from "../../../state/store";
import { CodeText } from "../../../ui/text/code_text";
import { recordingLabel } from "../../../ui/text/format";
import { EvidenceCurve } from "./evidence_curve";
import { ValuePicture } from "./value_picture";

interface Props {
  store: Store;
  trial: Trial;
  evidence: FoundEvidence;
  /** Values that the finding compares with these. */
  beside?: FoundEvidence | null;
}

export function EvidenceView({ store, trial, evidence, beside = null }: Props) {
  // Read so that this is rendered again when what a link needs has been loaded.
  void store.version.value;
  const { name, item, step, caption, sample, group } = evidence;
  // With one of these keys, the link opens elsewhere.
  const seekValues = ({ ctrlKey, metaKey, shiftKey }: MouseEvent): void => {
    store.soughtValues.value = !ctrlKey && !metaKey && !shiftKey;
  };
  const link = linkToEvidence(store.bundle, trial, evidence, beside);
  const what =
    item === null
      ? `${sample === null ? "values" : `sample ${sample}`} at ${stepInWords(step)}`
      : `${item} of ${recordingLabel(group)} over the steps`;
  return (
    <li class="evidence" data-testid="evidence">
      {item === null ? (
        <ValuePicture store={store} trial={trial} evidence={evidence} beside={beside} />
      ) : (
        <EvidenceCurve
          store={store}
          trial={trial}
          evidence={evidence}
          item={item}
          instead={<ValuePicture store={store} trial={trial} evidence={evidence} />}
        />
      )}
      <p>
        <span dir="auto">
          <CodeText text={caption} />
        </span>{" "}
        <span class="soft">
          {link === null ? (
            <>
              <bdi class="mono">{name}</bdi>, {what}
            </>
          ) : (
            <a href={link} data-testid="evidence-link" onClick={seekValues}>
              <bdi class="mono">{name}</bdi>, {what}
            </a>
          )}
        </span>
      </p>
    </li>
  );
}
