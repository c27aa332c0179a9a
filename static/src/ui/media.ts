/** What the system and the window are like, as media queries say. */

import { signal } from "@preact/signals";

/** As on a phone, or with a zoom of 200 %: the content has the room, and controls open in a sheet. */
const SMALL = "(max-width: 40em), (max-height: 32em)";

export const isSmall = signal(false);

/** Too narrow for lines with every tool, alone and beside the story. */
const [NARROW, NARROW_BESIDE_STORY] = ["(max-width: 87em)", "(max-width: 108em)"];

const isNarrow = signal(false);
const isNarrowBesideStory = signal(false);

/** Whether tools are drawn together so that they keep to one line. */
export function isCompact(isBesideStory: boolean): boolean {
  return !isSmall.value && (isBesideStory ? isNarrowBesideStory : isNarrow).value;
}

/** Notices when the window becomes small or large; style sheets see it, too. */
export function startMedia(): void {
  follow(NARROW, isNarrow);
  follow(NARROW_BESIDE_STORY, isNarrowBesideStory);
  follow(SMALL, isSmall, (small) => document.documentElement.toggleAttribute("data-small", small));
}

/** Keeps a signal at what a media query says. */
export function follow(media: string, wanted: { value: boolean }, onChange: (matches: boolean) => void = () => undefined): void {
  const query = window.matchMedia(media);
  const take = (): void => {
    wanted.value = query.matches;
    onChange(query.matches);
  };
  query.addEventListener("change", take);
  take();
}
