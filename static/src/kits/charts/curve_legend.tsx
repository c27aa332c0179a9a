/** The legend of a chart: it names the curves, gives their values, and shows or hides them. */

import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Trial } from "../../data/format/types";
import { trialLabel } from "../../state/comparison/second_view";
import { Button } from "../../ui/controls/button";
import { drawMarker } from "../../ui/figure/markers";
import { themeColor, themeName } from "../../ui/theme";
import { detailOf, nearestPoint, type StyledCurve, valueInWords } from "./curve_data";
import { curveColor } from "./draw_points";

const WIDTH = 42;
const HEIGHT = 14;

interface Props {
  curves: readonly StyledCurve[];
  visible: readonly boolean[];
  /** The values shown are those nearest to this time; the last ones where it is null. */
  time: number | null;
  onToggle: (curve: number) => void;
}

export function CurveLegend({ curves, visible, time, onToggle }: Props) {
  const theme = themeName.value;
  return (
    <ul class="chart-legend" aria-label="Curves; press to show or hide">
      {curves.map((curve, k) => (
        <Entry
          key={k}
          curve={curve}
          isVisible={visible[k] ?? true}
          value={valueAt(curve, time)}
          theme={theme}
          onToggle={() => onToggle(k)}
        />
      ))}
    </ul>
  );
}

interface EntryProps {
  curve: StyledCurve;
  isVisible: boolean;
  value: string;
  theme: string;
  onToggle: () => void;
}

/** Made anew only if it looks different: of a hundred entries, a press changes one. */
function Entry({ curve, isVisible, value, theme, onToggle }: EntryProps) {
  const latest = useRef(onToggle);
  latest.current = onToggle;
  const detail = detailOf(curve);
  return useMemo(
    () => (
      <li>
        <Button class="chip" testid="legend-entry" pressed={isVisible} onClick={() => latest.current()}>
          <Sample curve={curve} theme={theme} />
          <span class="chip-text" title={`${curve.name} ${detail}`.trim()}>
            {curve.side !== undefined && <b>{curve.side} </b>}
            <bdi>{curve.name}</bdi>
            {detail !== "" && (
              <span class="soft">
                {" "}
                <bdi>{detail}</bdi>
              </span>
            )}
          </span>
          <span class="chip-value">{value}</span>
        </Button>
      </li>
    ),
    [curve, isVisible, value, theme, detail],
  );
}

/** Says in a figure which lines are whose; nothing where it has those of one trial. */
export function sidesRemark(curves: readonly StyledCurve[]): string[] {
  return curves.some(({ side }) => side !== undefined)
    ? ["A: thick lines with filled markers. B: thin, finely dashed lines with hollow markers"]
    : [];
}

/** Says which lines are whose, where a chart has those of two trials. */
export function SidesNote({ trial, second }: { trial: Trial; second: Trial }) {
  return (
    <>
      Thick lines with filled markers: A, <bdi>{trialLabel(trial, second)}</bdi>; thin, finely dashed lines with hollow markers: B,{" "}
      <bdi>{trialLabel(second, trial)}</bdi>.{" "}
    </>
  );
}

function valueAt(curve: StyledCurve, time: number | null): string {
  return valueInWords(curve, time === null ? curve.v.length - 1 : nearestPoint(curve.t, time));
}

/** A piece of the curve with its marker. */
function Sample({ curve, theme }: { curve: StyledCurve; theme: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) {
      return;
    }
    const ratio = window.devicePixelRatio || 1;
    context.canvas.width = WIDTH * ratio;
    context.canvas.height = HEIGHT * ratio;
    context.scale(ratio, ratio);
    context.fillStyle = context.strokeStyle = curveColor(curve.style.color);
    context.lineWidth = curve.style.width;
    context.setLineDash([...curve.style.dash]);
    context.beginPath();
    context.moveTo(0, HEIGHT / 2);
    context.lineTo(WIDTH, HEIGHT / 2);
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = 1.5;
    drawMarker(context, curve.style.marker, WIDTH / 2, HEIGHT / 2, 4, themeColor("surface"));
  }, [curve, theme]);
  return <canvas ref={canvas} class="legend-line" aria-hidden="true" />;
}
