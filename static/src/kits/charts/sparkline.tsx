/** A small curve over the steps, with one of them marked. */

import { brief } from "../../ui/text/format";
import { timeInWords } from "./time_text";

interface Props {
  steps: readonly number[];
  values: ArrayLike<number>;
  /** The step that a line marks. */
  marked: number;
  /** What a screen reader says in place of the picture. */
  label: string;
}

const WIDTH = 280;
const HEIGHT = 64;
const PAD = 5;
/** Half the width of the mark of a value that is not finite, with its distance from others. */
const MARK = 4;

export function Sparkline({ steps, values, marked, label }: Props) {
  const finite = Array.from(values).filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const [first, last] = [steps[0] ?? 0, steps[steps.length - 1] ?? 0];
  const x = (step: number): number => PAD + ((WIDTH - 2 * PAD) * (step - first)) / (last - first || 1);
  const y = (value: number): number => (high > low ? HEIGHT - PAD - ((HEIGHT - 2 * PAD) * (value - low)) / (high - low) : HEIGHT / 2);
  const pieces = piecesOf(steps, values).map((piece) => piece.map(([step, value]) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`));
  const notFinite = steps.filter((_, k) => !Number.isFinite(values[k]));
  const at = x(Math.min(Math.max(marked, first), last));
  return (
    <span class="sparkline">
      <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        <line class="sparkline-mark" x1={at} x2={at} y1="0" y2={HEIGHT} />
        {pieces.map((points) =>
          points.length === 1 ? (
            <circle class="sparkline-point" cx={points[0]!.split(",")[0]} cy={points[0]!.split(",")[1]} r="2.5" />
          ) : (
            <polyline class="sparkline-line" points={points.join(" ")} />
          ),
        )}
        {apart(notFinite.map(x), 2 * MARK).map((place) => (
          <path key={place} class="small-chart-not-finite" d={crossAt(place)} />
        ))}
      </svg>
      <span class="sparkline-ends">
        <span>
          {timeInWords(first)}: {brief(values[0] ?? NaN)}
        </span>
        {last > first && (
          <span>
            {timeInWords(last)}: {brief(values[steps.length - 1] ?? NaN)}
          </span>
        )}
      </span>
      <span class="sparkline-range">
        {finite.length === 0 ? (
          <span>no finite value</span>
        ) : (
          <>
            <span>lowest {brief(low)}</span>
            <span>highest {brief(high)}</span>
          </>
        )}
        {finite.length > 0 && notFinite.length > 0 && <span>not finite: the crosses, from {timeInWords(notFinite[0]!)}</span>}
        <span>dashed: {timeInWords(marked)}</span>
      </span>
    </span>
  );
}

/** Places in order, without those that are closer than `distance` to one before them. */
export function apart(places: readonly number[], distance: number): number[] {
  let last = -Infinity;
  return places.filter((place) => {
    const isApart = place - last >= distance;
    last = isApart ? place : last;
    return isApart;
  });
}

/** The mark of a value that is not finite, at the upper edge. */
export function crossAt(x: number): string {
  return `M${(x - 3).toFixed(1)} 2l6 6m0 -6l-6 6`;
}

/** The uninterrupted parts of the curve: a value that is not finite ends one. */
export function piecesOf(steps: readonly number[], values: ArrayLike<number>): [step: number, value: number][][] {
  const pieces: [number, number][][] = [[]];
  steps.forEach((step, k) => {
    const value = values[k] ?? NaN;
    if (Number.isFinite(value)) {
      pieces[pieces.length - 1]!.push([step, value]);
    } else {
      pieces.push([]);
    }
  });
  return pieces.filter((piece) => piece.length > 0);
}
