/** What the colours and the patterns of a picture mean, in numbers. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { SINGLE_CELL } from "../../../kits/heatmap/board";
import { type Coloring, inkOf } from "../../../kits/heatmap/draw_board";
import { paint } from "../../../kits/heatmap/paint_cells";
import type { Census } from "../../../kits/heatmap/value_census";
import { colorsOf, type Extent, type Scale, valueOnScale } from "../../../kits/heatmap/value_colors";
import { Button } from "../../../ui/controls/button";
import { brief, counted } from "../../../ui/text/format";
import { isDark } from "../../../ui/theme";

const BAR = { width: 256, height: 12 };
const PATTERN = { width: 24, height: 14 };
const TICKS: Readonly<Record<Scale, readonly number[]>> = { diverging: [0, 0.5, 1], sequential: [0, 0.5, 1], log: [0, 0.25, 0.5, 0.75, 1] };

const PATTERNS = [
  ["nan", "NaN", NaN],
  ["positiveInfinity", "+inf", Infinity],
  ["negativeInfinity", "\u2212inf", -Infinity],
] as const;

interface Props {
  coloring: Coloring;
  census: Census;
  /** Goes to the next value like this one. */
  onFind: (value: number) => void;
}

export function Legend({ coloring, census, onFind }: Props) {
  const { scale, extent } = coloring;
  const ticks = ticksOf(scale, extent);
  const dark = isDark.value;
  const bar = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const context = bar.current?.getContext("2d");
    const colors = colorsOf(scale, dark);
    if (context) {
      const image = context.createImageData(BAR.width, BAR.height);
      const pixels = new Uint32Array(image.data.buffer);
      pixels.forEach((_, k) => (pixels[k] = colors[k % BAR.width]!));
      context.putImageData(image, 0, 0);
    }
  }, [scale, dark]);
  return (
    <div class="legend" data-testid="picture-legend">
      <div class="legend-scale">
        <canvas
          ref={bar}
          width={BAR.width}
          height={BAR.height}
          role="img"
          aria-label={`Colors from ${brief(ticks[0]!)} to ${brief(ticks.at(-1)!)}`}
        />
        <div class="legend-ticks">
          {ticks.map((tick, k) => (
            <span key={k}>{brief(tick)}</span>
          ))}
        </div>
      </div>
      {PATTERNS.filter(([name]) => census[name] > 0).map(([name, label, value]) => (
        <Button key={name} class="legend-pattern" testid={`find-${name}`} title="Go to the next" onClick={() => onFind(value)}>
          <Pattern value={value} coloring={coloring} />
          {label}: {counted(census[name], "value")}
        </Button>
      ))}
    </div>
  );
}

function ticksOf(scale: Scale, extent: Extent): number[] {
  return TICKS[scale].map((place) => valueOnScale(scale, extent, place));
}

/** A piece of the pattern that stands for what is not finite. */
function Pattern({ value, coloring }: { value: number; coloring: Coloring }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context) {
      const image = context.createImageData(PATTERN.width, PATTERN.height);
      const placing = { x: 0, y: 0, cellWidth: PATTERN.width, cellHeight: PATTERN.height };
      paint({ ...PATTERN, data: new Uint32Array(image.data.buffer) }, SINGLE_CELL, [value], null, placing, inkOf(coloring, false));
      context.putImageData(image, 0, 0);
    }
  }, []);
  return <canvas ref={canvas} {...PATTERN} aria-hidden="true" />;
}
