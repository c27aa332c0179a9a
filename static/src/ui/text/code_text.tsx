/** A text in which backticks stand around names and code. */

import { Unbroken } from "./unbroken";

export function CodeText({ text }: { text: string }) {
  return (
    <>
      {piecesOf(text).map(({ content, isCode }, k) =>
        isCode ? (
          <code key={k} class="code">
            <bdi>{content}</bdi>
          </code>
        ) : (
          <Unbroken key={k} text={content} />
        ),
      )}
    </>
  );
}

/** A backtick without a second one stands for itself. */
export function piecesOf(text: string): { content: string; isCode: boolean }[] {
  // Every second piece is what the parentheses match.
  const pieces = text.split(/`([^`]+)`/).map((content, k) => ({ content, isCode: k % 2 === 1 }));
  return pieces.filter(({ content }) => content !== "");
}
