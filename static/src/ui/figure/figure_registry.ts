/** The figures that the page could save now, for who prints it. */

import type { Figure } from "./figure";

export type Place = "graph" | "modules" | "panels" | "flow" | "values" | "curves";

interface ShownFigure {
  place: Place;
  make: () => Figure;
  load: () => Promise<unknown>;
}

export const shownFigures = new Set<ShownFigure>();

export function figuresAt(place: Place): Figure[] {
  return [...shownFigures].filter((shown) => shown.place === place).map((shown) => shown.make());
}

/** Waits for what figures need; without it, they say what is missing. */
export function loadFigures(places: readonly Place[]): Promise<unknown>[] {
  return [...shownFigures].filter(({ place }) => places.includes(place)).map(({ load }) => load());
}
