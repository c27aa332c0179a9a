/** The line of a curve that has few enough points for one: from point to point. */

import type uPlot from "uplot";
import type { Line } from "./chart_data";

/** Null interrupts the line, and so does what a logarithmic axis does not have; it goes past times at which the curve has no point. */
export function straightPath(self: uPlot, values: Readonly<Line>, first: number, last: number): uPlot.Series.Paths {
  const times = self.data[0];
  const floor = self.scales.y!.distr === 3 ? 0 : -Infinity;
  const stroke = new Path2D();
  let isInterrupted = true;
  for (let k = first; k <= last; k++) {
    const value = values[k];
    if (value === undefined) {
      continue;
    }
    if (value === null || value <= floor) {
      isInterrupted = true;
      continue;
    }
    const [x, y] = [self.valToPos(times[k]!, "x", true), self.valToPos(value, "y", true)];
    if (isInterrupted) {
      stroke.moveTo(x, y);
    } else {
      stroke.lineTo(x, y);
    }
    isInterrupted = false;
  }
  return { stroke, flags: 0 };
}
