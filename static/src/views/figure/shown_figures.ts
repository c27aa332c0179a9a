/** The figures that the page could save now, for who prints it. */

import type { Figure } from "./figure";

export type Place = "graph" | "modules" | "flow" | "values";

interface ShownFigure {
  place: Place;
  make: () => Figure;
}

export const shownFigures = new Set<ShownFigure>();

export function figuresAt(place: Place): Figure[] {
  return [...shownFigures].filter((shown) => shown.place === place).map((shown) => shown.make());
}
