/** A text whose numbers stay on one line: a line that ends within `6.7e-4` reads as 6.7. */

/** Browsers break lines behind the minus sign of an exponent. */
const NUMBER_WITH_EXPONENT = /([+-]?\d+(?:\.\d+)?e[+-]\d+)/;

export function Unbroken({ text }: { text: string }) {
  const pieces = text.split(NUMBER_WITH_EXPONENT);
  return (
    <>
      {pieces.map((piece, k) =>
        // Every second piece is what the parentheses match.
        k % 2 === 1 ? (
          <span key={k} class="unbroken">
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
    </>
  );
}
