/** The title of the page, in its header and in the browser's tab. */

import { useEffect, useRef } from "preact/hooks";
import { isTitleCut } from "../ui/title_cut";

/** Pixels: the box around letters is a little higher than their line, and less than twice as high. */
const EXCESS = 4;

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
