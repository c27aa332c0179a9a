/** What the system and the window are like, as media queries say. */

import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";

/** As on a phone or an upright tablet, or with a zoom of 200 %: the content has the room, and controls open in a sheet. */
const SMALL = "(max-width: 56em), (max-height: 32em)";

/** So narrow that what is left beside the story is small; in a narrower window, the story is below. */
const SMALL_BESIDE_STORY = "(900px < width <= 72em)";

const isSmallWindow = signal(false);
const isSmallBesideStory = signal(false);
const hasStory = signal(false);

export const isSmall = computed(() => isSmallWindow.value || (hasStory.value && isSmallBesideStory.value));

/** Too narrow for lines with every tool, alone and beside the story. */
const [NARROW, NARROW_BESIDE_STORY] = ["(max-width: 87em)", "(max-width: 108em)"];

const isNarrow = signal(false);
const isNarrowBesideStory = signal(false);

/** Whether tools are drawn together so that they keep to one line. */
export function isCompact(isBesideStory: boolean): boolean {
  return !isSmall.value && (isBesideStory ? isNarrowBesideStory : isNarrow).value;
}

/** Notices when the window, or what the story leaves of it, becomes small or large; style sheets see it, too. */
export function startMedia(isStoryOpen: ReadonlySignal<boolean>): void {
  follow(NARROW, isNarrow);
  follow(NARROW_BESIDE_STORY, isNarrowBesideStory);
  follow(SMALL, isSmallWindow);
  follow(SMALL_BESIDE_STORY, isSmallBesideStory);
  effect(() => {
    hasStory.value = isStoryOpen.value;
  });
  effect(() => {
    document.documentElement.toggleAttribute("data-small", isSmall.value);
  });
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
