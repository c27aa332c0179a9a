/** The times that charts are zoomed to, by the person or by a note. */

import { useState } from "preact/hooks";
import type { Tab } from "../../state/address/url";
import type { Store } from "../../state/store";
import { readNumbers, writeNumbers } from "../../state/story/zooms";
import { useZoomOfNote } from "../../ui/zoom_of_note";
import type { TimeRange } from "./curve_chart";

/** Steps are long numbers, and few of them may be shown. */
const DIGITS = 12;

/** `name` is that of the charts in the address of a note. What is set is what charts tell: the range that they are asked to show, too. */
export function useTimeRange(store: Store, tab: Tab, name: string): [range: TimeRange, setRange: (range: TimeRange) => void] {
  const [range, setRange] = useState<TimeRange>(null);
  const leave = useZoomOfNote(store, tab, name, {
    read: () => range && writeNumbers(range, DIGITS),
    show: (zoom) => setRange(readRange(zoom)),
  });
  const change = (changed: TimeRange): void => {
    if (changed?.[0] !== range?.[0] || changed?.[1] !== range?.[1]) {
      setRange(changed);
      leave();
    }
  };
  return [range, change];
}

/** Null where it is none. */
export function readRange(text: string | null): TimeRange {
  const [from, to] = readNumbers(text, 2) ?? [];
  return to !== undefined && from! < to ? [from!, to] : null;
}
