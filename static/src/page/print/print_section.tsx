/** A section of the printed view, and a figure in it. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Loaded } from "../../data/bundle";
import { type Figure, figureElement } from "../../ui/figure/figure";
import { pageElement } from "../../ui/figure/svg";

/** Values that are printed; of more, the first ones are. */
export const MOST_PRINTED = 400;

/** `page` is how a section lies on paper: after the one before it, on a page of its own, or on one that is wider than high. */
export function Section({
  title,
  page = "following",
  children,
}: {
  title: string;
  page?: "following" | "own-page" | "wide";
  children: ComponentChildren;
}) {
  return (
    <section class={`print-${page}`}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function FigureOf({ figure }: { figure: Figure }) {
  const frame = useRef<HTMLElement>(null);
  useLayoutEffect(() => frame.current?.replaceChildren(pageElement(figureElement(figure))), [figure]);
  return <figure ref={frame} class="print-figure" data-testid="print-figure" />;
}

/** What stands where a document is not there. */
export function absence<T>(loaded: Loaded<T>): string {
  return loaded.state === "failed"
    ? `These could not be loaded: ${loaded.error.message}`
    : "These are not loaded yet. The page\u2019s own Print button waits for them.";
}
