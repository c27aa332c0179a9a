/** What the author draws, on paper: the drawings themselves are lent to the document, and given back to the page when it goes. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { isDark } from "../../ui/theme";

const FRAME_LEFT_OUT = "This figure runs in its own frame, which cannot be printed. The page shows it.";

export function PrintedDrawings() {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const lent = [...document.querySelectorAll<HTMLElement>("#panel-visualization .visualization")].map((figure) =>
      lend(figure, frame.current!),
    );
    return () => lent.forEach((giveBack) => giveBack());
  }, []);
  // A drawing that was made for a dark page is printed on dark.
  return <div ref={frame} class={isDark.value ? "print-drawings print-dark" : "print-drawings"} data-testid="print-drawings" />;
}

/** Moves what a figure shows: a copy has no pixels, and a hidden drawing has no colours. Returns what moves it back. */
function lend(figure: HTMLElement, into: HTMLElement): () => void {
  const printed = document.createElement("figure");
  const title = document.createElement("h3");
  title.textContent = figure.getAttribute("aria-label") ?? "";
  printed.append(title);
  into.append(printed);
  const [, ...parts] = figure.children;
  const lent = parts.map((part) => {
    const place = document.createComment("");
    if (part instanceof HTMLIFrameElement) {
      // It would be loaded anew if it were moved.
      const said = document.createElement("p");
      said.textContent = FRAME_LEFT_OUT;
      printed.append(said);
      return () => undefined;
    }
    part.replaceWith(place);
    printed.append(part);
    return () => place.replaceWith(part);
  });
  return () => lent.forEach((giveBack) => giveBack());
}
