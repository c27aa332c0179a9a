/** Walks through the times of a chart by keys. */

import type { RefObject } from "preact";
import type uPlot from "uplot";
import { placeFrom } from "./curve_data";

interface Asked {
  hovered: number | null;
  marked?: number | null;
  onHover: (time: number | null) => void;
  onPick: (time: number, curve: number | null) => void;
}

/** Page Up and Page Down move by this part of the times that are shown. */
const PAGES = 10;

/** The place of the time that is asked about, or marked; and what keys do: arrows and others move, Enter chooses, Escape stops. */
export function useKeys({ hovered, marked, onHover, onPick }: Asked, times: readonly number[], chart: RefObject<uPlot | null>) {
  const last = times.length - 1;
  const place = Math.max(0, Math.min(last, placeFrom(times, hovered ?? marked ?? times[0] ?? 0)));
  const onKeyDown = (event: KeyboardEvent): void => {
    const { min, max } = chart.current?.scales.x ?? {};
    if (event.ctrlKey || event.altKey || event.metaKey || min == null || max == null || last < 0) {
      return;
    }
    const low = placeFrom(times, min);
    const behind = placeFrom(times, max);
    const high = times[behind] === max ? behind : behind - 1;
    const page = Math.max(1, Math.round((high - low) / PAGES));
    const next: Readonly<Record<string, number>> = {
      ArrowLeft: place - 1,
      ArrowRight: place + 1,
      PageUp: place - page,
      PageDown: place + page,
      Home: low,
      End: high,
    };
    const wanted = next[event.key];
    if (wanted !== undefined) {
      const time = times[Math.max(low, Math.min(high, wanted))]!;
      // The line moves with it, and does not say where the pointer is: several times may share a pixel.
      chart.current?.setCursor({ left: chart.current.valToPos(time, "x"), top: 0 }, false);
      onHover(time);
    } else if (event.key === "Enter") {
      onPick(times[place]!, null);
    } else if (event.key === "Escape" && hovered !== null) {
      chart.current?.setCursor({ left: -10, top: -10 }, false);
      onHover(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return { place, onKeyDown };
}
