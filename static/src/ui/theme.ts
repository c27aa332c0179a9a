/** Colours: light or dark, and with more contrast, as the system says or as the person has chosen on this computer. */

import { computed, effect, signal } from "@preact/signals";
import { follow } from "./media";

const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const CONTRASTS = ["system", "more", "usual"] as const;
type Contrast = (typeof CONTRASTS)[number];

// file:// pages share one storage in some browsers, so the keys say whose they are.
const THEME_KEY = "comgra-export:theme";
const CONTRAST_KEY = "comgra-export:contrast";

const systemIsDark = signal(false);
const systemWantsContrast = signal(false);
const systemForcesColors = signal(false);
const chosenContrast = signal<Contrast>("system");
export const chosenTheme = signal<Theme>("system");
export const isDark = computed(() => (chosenTheme.value === "system" ? systemIsDark.value : chosenTheme.value === "dark"));
export const hasHighContrast = computed(() =>
  chosenContrast.value === "system" ? systemWantsContrast.value : chosenContrast.value === "more",
);

/** Tells themes apart: what is drawn on a canvas is drawn again when it changes. */
export const themeName = computed(
  () =>
    `${isDark.value ? "dark" : "light"}${hasHighContrast.value ? ", high contrast" : ""}${systemForcesColors.value ? ", forced colors" : ""}`,
);

/** Applies the theme now and whenever it changes. */
export function startTheme(): void {
  follow("(prefers-color-scheme: dark)", systemIsDark);
  follow("(prefers-contrast: more)", systemWantsContrast);
  follow("(forced-colors: active)", systemForcesColors);
  chosenTheme.value = THEMES.find((theme) => theme === readStored(THEME_KEY)) ?? "system";
  chosenContrast.value = CONTRASTS.find((contrast) => contrast === readStored(CONTRAST_KEY)) ?? "system";
  effect(() => {
    const { dataset } = document.documentElement;
    dataset.theme = isDark.value ? "dark" : "light";
    dataset.contrast = hasHighContrast.value ? "more" : "usual";
  });
}

export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(chosenTheme.value) + 1) % THEMES.length] ?? "system";
  // Stored before it is seen: a page that is loaded again at once has it too.
  store(THEME_KEY, next);
  chosenTheme.value = next;
}

/** More contrast in the light and the dark colours alike, or no more. */
export function toggleContrast(): void {
  chosenContrast.value = hasHighContrast.value ? "usual" : "more";
  store(CONTRAST_KEY, chosenContrast.value);
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Sandboxed pages have no storage; the choice then lasts as long as the page.
  }
}

function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** A colour of the style sheet, for what is drawn on a canvas. Read it again when `themeName` changes. */
export function themeColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Reads colours as they are on paper, whatever the page looks like. */
export function withPaperColors<T>(read: (color: (name: string) => string) => T): T {
  const paper = document.createElement("div");
  paper.className = "paper";
  document.body.append(paper);
  const style = getComputedStyle(paper);
  try {
    return read((name) => style.getPropertyValue(`--${name}`).trim());
  } finally {
    paper.remove();
  }
}
