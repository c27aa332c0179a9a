/** The title of the page, in its header and in the browser's tab. */

import { useEffect, useRef } from "preact/hooks";
import { isTitleCut } from "../ui/title_cut";

/** Pixels: the box around letters is a little higher than their line, and less than twice as high. */
const EXCESS = 4;

/** Pixels, rounded up: how wide the title is at its usual size. */
function widthOnOneLine(header: HTMLElement, title: string): number {
  const canvas = document.createElement("canvas").getContext("2d")!;
  canvas.font = getComputedStyle(header).font;
  return Math.ceil(canvas.measureText(title).width);
}

export function Title({ title }: { title: string }) {
  const element = useRef<HTMLHeadingElement>(null);
  const text = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = title;
    const [header, content] = [element.current, text.current];
    if (header === null || content === null) {
      return undefined;
    }
    const observer = new ResizeObserver(() => {
      const width = widthOnOneLine(header, title);
      header.style.setProperty("--title-width", `${width}px`);
      // Two lines of the usual size would touch the edges of the header.
      header.toggleAttribute("data-long", header.clientWidth < width);
      isTitleCut.value = content.getBoundingClientRect().bottom > header.getBoundingClientRect().bottom + EXCESS;
    });
    observer.observe(header);
    return () => observer.disconnect();
  }, [title]);
  return (
    <h1 ref={element} title={title}>
      <bdi ref={text}>{title}</bdi>
    </h1>
  );
}
