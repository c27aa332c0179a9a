/** A name that may be longer than its place: its lines end behind its punctuation, if they must. A short one goes to the next line. */

import { Fragment } from "preact";

const BEHIND_PUNCTUATION = /(?<=[._/:-])/;

/** In characters. */
const SHORT = 20;

export function Name({ text }: { text: string }) {
  return (
    <bdi>
      {piecesOfName(text).map((piece, k) => (
        <Fragment key={k}>
          {k > 0 && <wbr />}
          {piece}
        </Fragment>
      ))}
    </bdi>
  );
}

/** Between these, a line may end. */
export function piecesOfName(text: string): string[] {
  return text.length > SHORT ? text.split(BEHIND_PUNCTUATION) : [text];
}
