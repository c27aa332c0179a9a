/** Which badges there are, what they mean, and on how many: a click goes to the next that has one. */

import { BADGE_WORDS, type Badge } from "../../state/badges/badges";
import { Button } from "../../ui/controls/button";
import { counted } from "../../ui/text/format";
import { BADGE_SIGNS } from "./badge_signs";

interface Props {
  /** On how many each badge is. */
  counts: ReadonlyMap<Badge, number>;
  /** Of what they are: `node`. */
  what: string;
  onNext: (badge: Badge) => void;
}

export function BadgeLegend({ counts, what, onNext }: Props) {
  return (
    <>
      {[...counts].map(([badge, count]) => (
        <li key={badge}>
          <Button
            class="legend-type"
            testid={`badge-${badge}`}
            title={`${counted(count, what)} with this badge on this step: select the next`}
            onClick={() => onNext(badge)}
          >
            <span class={`badge-sign badge-${badge}`} aria-hidden="true">
              {BADGE_SIGNS[badge]}
            </span>
            <span class="badge-word">{BADGE_WORDS[badge]}</span> {count}
          </Button>
        </li>
      ))}
    </>
  );
}
