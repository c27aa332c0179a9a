/** What the page says beside a figure, for who prints it. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Place } from "./figure_registry";

interface ShownDetails {
  place: Place;
  render: () => ComponentChildren;
}

const shownDetails = new Set<ShownDetails>();

/** As long as the caller is shown, paper has what it renders. */
export function useDetailsOnPaper(place: Place, render: () => ComponentChildren): void {
  const latest = useRef(render);
  latest.current = render;
  useEffect(() => {
    const entry = { place, render: () => latest.current() };
    shownDetails.add(entry);
    return () => void shownDetails.delete(entry);
  }, [place]);
}

export function detailsAt(place: Place): ComponentChildren[] {
  return [...shownDetails].filter((shown) => shown.place === place).map((shown) => shown.render());
}
