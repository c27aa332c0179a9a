/** Draws everything of the timeline that stays as it is while the step changes. */

import { drawFinding, drawTriggered } from "../../kits/charts/step_marks";
import { EVALUATION, type Row, type Tick, TRAINING } from "./marks";

export interface Picture {
  width: number;
  ticks: readonly Tick[];
  /** Triggered steps, which have another shape. */
  triggered: readonly Tick[];
  /** The places at which findings begin, the most severe last. */
  findings: readonly { x: number; severity: number }[];
  labels: readonly PlacedLabel[];
  /** How far ticks are from one another, in pixels, if they are even. */
  distance: number;
}

export interface PlacedLabel {
  x: number;
  text: string;
  isStart: boolean;
}

/** Where a label begins that is so wide: at the edges it moves inwards. */
export function leftOf({ x, isStart }: PlacedLabel, wide: number, width: number): number {
  return Math.max(0, Math.min(width - wide, isStart ? x + 3 : x - wide / 2));
}

/** Pixels from the top: the labels, the marks of findings, the ticks of training, those of evaluations. */
export const HEIGHT = 41;
const LABELS = { top: 2, bottom: 15 } as const;
const FINDINGS_TOP = 15;
const ROWS = { [TRAINING]: { top: 22, bottom: 32 }, [EVALUATION]: { top: 33, bottom: 40 } } as const;
/** The row of the ticks if there are no evaluations. */
const ONLY_ROW = { top: 22, bottom: 40 } as const;

/** How much of its colour a step has that cannot be selected now. */
const FAINT = 0.35;

/** Draws into a canvas, which becomes as large as the picture, without the texts of the labels that are hidden. Colours are those of the style sheet where the canvas is. */
export function draw(canvas: HTMLCanvasElement, picture: Picture, ratio: number, hidden: readonly string[] = []): void {
  canvas.width = Math.round(picture.width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  const context = canvas.getContext("2d");
  if (context === null || picture.width === 0) {
    return;
  }
  const style = getComputedStyle(canvas);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  context.scale(ratio, ratio);
  const hasEvaluations = picture.ticks.some(({ row }) => row === EVALUATION);
  const spanOf = (row: Row): { top: number; bottom: number } => (hasEvaluations ? ROWS[row] : ONLY_ROW);
  drawLabels(context, picture, hidden, color, style.fontFamily);
  drawTicks(context, picture, color, spanOf);
  for (const { x, row, color: number, isOffered } of picture.triggered) {
    const { top, bottom } = spanOf(row);
    context.globalAlpha = isOffered ? 1 : FAINT;
    drawTriggered(context, x, (top + bottom) / 2, color(`curve-${number}`), { color });
  }
  context.globalAlpha = 1;
  for (const { x, severity } of picture.findings) {
    drawFinding(context, x, FINDINGS_TOP, severity, { color });
  }
}

function drawLabels(
  context: CanvasRenderingContext2D,
  { labels, width }: Picture,
  hidden: readonly string[],
  color: (name: string) => string,
  font: string,
): void {
  context.font = `11px ${font}`;
  context.textBaseline = "middle";
  for (const label of labels) {
    const { x, text, isStart } = label;
    context.fillStyle = color("control-line");
    context.fillRect(Math.round(x), isStart ? LABELS.top + 1 : LABELS.bottom - 1, 1, isStart ? HEIGHT : 2);
    if (!hidden.includes(text)) {
      context.fillStyle = color("text-soft");
      context.fillText(text, leftOf(label, context.measureText(text).width, width), (LABELS.top + LABELS.bottom) / 2);
    }
  }
}

function drawTicks(
  context: CanvasRenderingContext2D,
  { ticks, distance }: Picture,
  color: (name: string) => string,
  spanOf: (row: Row) => { top: number; bottom: number },
): void {
  const wide = distance >= 6 ? 2 : 1;
  const colors = new Map<number, string>();
  for (const { x, row, color: number, isOffered } of ticks) {
    const { top, bottom } = spanOf(row);
    const ink = colors.get(number) ?? color(`curve-${number}`);
    colors.set(number, ink);
    context.fillStyle = ink;
    context.globalAlpha = isOffered ? 1 : FAINT;
    context.fillRect(x - (wide >> 1), top, wide, bottom - top);
  }
  context.globalAlpha = 1;
}
