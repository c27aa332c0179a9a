/** What a person writes into a note: text with lines, **bold**, `code` and [links to views](#v=1). Never markup. */

import { readLink } from "../../state/address/url";

type Piece = { kind: "text" | "bold" | "code"; content: string } | { kind: "link"; content: string; address: string };

/** Bold, code, or a link, whose address may hold parentheses in pairs. What is open without an end stands for itself. */
const PIECES = /\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[([^[\]\n]+)\]\(((?:[^()\s]|\([^()\s]*\))+)\)/g;

/** A link that leads out of the page is text like any other. */
export function piecesOfNote(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECES)) {
    const piece = pieceOf(match);
    if (piece !== null) {
      pieces.push({ kind: "text", content: text.slice(end, match.index) }, piece);
      end = match.index + match[0].length;
    }
  }
  return [...pieces, { kind: "text" as const, content: text.slice(end) }].filter(({ content }) => content !== "");
}

/** What a match stands for; null if it is text like any other. */
function pieceOf([, bold, code, content = "", target = ""]: RegExpMatchArray): Piece | null {
  if (bold !== undefined) {
    return { kind: "bold", content: bold };
  }
  if (code !== undefined) {
    return { kind: "code", content: code };
  }
  const address = target.slice(Math.max(0, target.indexOf("#")));
  return address.startsWith("#") && readLink(address) !== null ? { kind: "link", content, address } : null;
}

export function NoteText({ text }: { text: string }) {
  return (
    <p class="note-text" dir="auto">
      {piecesOfNote(text).map((piece, k) =>
        piece.kind === "link" ? (
          <a key={k} href={piece.address}>
            {piece.content}
          </a>
        ) : piece.kind === "bold" ? (
          <strong key={k}>{piece.content}</strong>
        ) : piece.kind === "code" ? (
          <code key={k} class="code">
            {piece.content}
          </code>
        ) : (
          piece.content
        ),
      )}
    </p>
  );
}

/** The text as it is read without its signs. */
export function plainNote(text: string): string {
  return piecesOfNote(text)
    .map(({ content }) => content)
    .join("");
}

/** The text without what stands in front of the `#` of addresses that were pasted: where the page lies is nobody's business. */
export function withoutPlaces(text: string): string {
  return text.replace(/\]\([^()\s#]+#v=1/g, "](#v=1");
}
