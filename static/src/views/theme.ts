/** Light or dark: as the system says, or as the person has chosen on this computer. */

import { computed, effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

// file:// pages share one storage in some browsers, so the key says whose it is.
const STORAGE_KEY = "comgra-export:theme";

const systemIsDark = signal(false);
export const chosenTheme = signal<Theme>("system");
export const isDark = computed(() => (chosenTheme.value === "system" ? systemIsDark.value : chosenTheme.value === "dark"));

/** Applies the theme now and whenever it changes. */
export function startTheme(): void {
  const query = window.matchMedia("(prefers-color-scheme: dark)");
  systemIsDark.value = query.matches;
  query.addEventListener("change", () => (systemIsDark.value = query.matches));
  chosenTheme.value = THEMES.find((theme) => theme === readStored()) ?? "system";
  effect(() => {
    document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light";
  });
}

export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(chosenTheme.value) + 1) % THEMES.length] ?? "system";
  chosenTheme.value = next;
  try {
    localStorage.setItem(STORAGE_KEY, next);
  } catch {
    // Sandboxed pages have no storage; the choice then lasts as long as the page.
  }
}

function readStored(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

/** A colour of the style sheet, for what is drawn on a canvas. Read it again when `isDark` changes. */
export function themeColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
