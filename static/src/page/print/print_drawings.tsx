/** What the author draws, on paper: pictures of what scripts draw; figures are lent to the document, and given back when it goes. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { drawnPictures } from "../../tabs/visualization/scripts_view";

const FRAME_LEFT_OUT = "This figure runs in its own frame, which cannot be printed. The page shows it.";

export function PrintedDrawings() {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const lent = [...document.querySelectorAll<HTMLElement>("#panel-visualization .visualization")].map((figure) =>
      lend(figure, frame.current!),
    );
    return () => lent.forEach((giveBack) => giveBack());
  }, []);
  return (
    <div class="print-drawings" data-testid="print-drawings">
      {drawnPictures.value.map(({ title, width, height, svg }, k) => (
        <figure key={k}>
          <h3>
            <bdi>{title}</bdi>
          </h3>
          {svg === "" ? (
            <p>There is no picture of this drawing. The page shows it.</p>
          ) : (
            // As an image, an SVG runs nothing and loads nothing, whatever the frame has put into it.
            <img alt={title} width={width} height={height} src={`data:image/svg+xml,${encodeURIComponent(svg)}`} />
          )}
        </figure>
      ))}
      <div ref={frame} />
    </div>
  );
}

/** Moves what a figure shows: an image that is loaded already is there at once. Returns what moves it back. */
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
