/** Marks of steps: what was found, and what was triggered. The timeline and the charts draw them alike. */

import type { FoundProblem } from "../../data/format/findings";
import type { Trial } from "../../data/format/types";

/** The steps of a trial that are marked in its charts. */
export interface StepMarks {
  /** The steps at which findings begin, the most severe of each step first. */
  findings: readonly { step: number; severity: number; titles: readonly string[] }[];
  triggered: readonly number[];
}

/** From findings by the positions of their first steps. */
export function stepMarks({ steps }: Trial, findings: ReadonlyMap<number, readonly FoundProblem[]>): StepMarks {
  return {
    findings: [...findings].map(([position, own]) => ({
      step: steps.step[position]!,
      severity: own[0]!.severity,
      titles: own.map(({ title }) => title),
    })),
    triggered: steps.step.filter((_, position) => steps.triggered[position]! >= 0),
  };
}

/** Half the width of the marks, in pixels. */
const DIAMOND = 6;
const TRIANGLE = 5;
const TRIANGLE_HEIGHT = 7;

const FILLED_SEVERITY = 3;
/** From here on, a finding is likely a problem. */
export const BAD_SEVERITY = 2;

interface Ink {
  color: (name: string) => string;
  /** Pixels of the canvas for one of the page. */
  ratio?: number;
}

/** A diamond at a triggered step. */
export function drawTriggered(context: CanvasRenderingContext2D, x: number, y: number, ink: string, { color, ratio = 1 }: Ink): void {
  const size = DIAMOND * ratio;
  const points = [
    [x, y - size],
    [x + size, y],
    [x, y + size],
    [x - size, y],
  ] as const;
  drawShape(context, points, ink, color("surface"), true, ratio);
}

/** A triangle that points down to the step at which something was found: red, or gray if it is only a symptom; filled if it is a bug. */
export function drawFinding(context: CanvasRenderingContext2D, x: number, top: number, severity: number, { color, ratio = 1 }: Ink): void {
  const points = [
    [x - TRIANGLE * ratio, top],
    [x + TRIANGLE * ratio, top],
    [x, top + TRIANGLE_HEIGHT * ratio],
  ] as const;
  const ink = color(severity >= BAD_SEVERITY ? "bad" : "text-soft");
  drawShape(context, points, ink, color("surface"), severity >= FILLED_SEVERITY, ratio);
}

function drawShape(
  context: CanvasRenderingContext2D,
  points: readonly (readonly [number, number])[],
  ink: string,
  surface: string,
  isFilled: boolean,
  ratio: number,
): void {
  context.beginPath();
  points.forEach(([x, y], k) => (k === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.closePath();
  context.fillStyle = isFilled ? ink : surface;
  context.fill();
  context.lineWidth = 1.5 * ratio;
  context.strokeStyle = isFilled ? surface : ink;
  context.stroke();
}
