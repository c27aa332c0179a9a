/** A name that may be longer than its place: its lines end behind its punctuation, if they must. */

import { Fragment } from "preact";

const BEHIND_PUNCTUATION = /(?<=[._/:-])/;

export function Name({ text }: { text: string }) {
  return (
    <bdi>
      {text.split(BEHIND_PUNCTUATION).map((piece, k) => (
        <Fragment key={k}>
          {k > 0 && <wbr />}
          {piece}
        </Fragment>
      ))}
    </bdi>
  );
}
