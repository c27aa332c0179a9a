/** The cells of a layer: the pointer shows an element in words, a click selects it, a drag selects a box, and so do the keys. */

import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { inkOf } from "../../../kits/heatmap/draw_board";
import type { Extent } from "../../../kits/heatmap/value_colors";
import { countSelected, elementsSelected, MOST_SELECTED } from "../../../state/tab_options/flow_selection";
import { isDark, themeColor, themeName } from "../../../ui/theme";
import { useSize } from "../../../ui/use_size";
import { drawCellsOf, drawMarks, type Heat, type HeatColors, placingIn, sizeOf } from "./heat";
import { type CellProps, useCellSelection } from "./use_cell_selection";

const HIGHEST = 300;

interface Props extends CellProps {
  heat: Heat;
  extent: Extent;
  computed: Int32Array | null;
  label: string;
}

export function HeatView(props: Props) {
  const { layer, shape, grid, heat, extent, computed, marks, label } = props;
  const [frame, { width }] = useSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const placing = placingIn(grid, { width, height: HIGHEST });
  const { box, boxed, pointed, handlers } = useCellSelection(props, canvas, placing);
  const [dark, theme] = [isDark.value, themeName.value];
  const ink = useMemo(() => inkOf({ scale: "diverging", extent }, dark), [extent, theme]);
  const colors = useMemo(
    (): HeatColors => ({ line: themeColor("control-line"), selected: themeColor("selected"), text: themeColor("text") }),
    [theme],
  );
  useLayoutEffect(() => {
    if (canvas.current !== null && width > 0) {
      drawCellsOf(canvas.current, grid, { numbers: heat.numbers, computed }, ink, placing, colors);
    }
  }, [grid, heat.numbers, ink, computed, width, colors]);
  useLayoutEffect(() => {
    if (overlay.current !== null && width > 0) {
      const selected =
        boxed === null ? marks.selected : countSelected(boxed) > MOST_SELECTED ? [box!.from, box!.to] : elementsSelected(boxed, shape);
      drawMarks(overlay.current, grid, { ...marks, pointed, selected }, placing, colors);
    }
  }, [grid, marks, pointed, width, box, colors]);
  const size = sizeOf(grid, placing);
  const style = { width: `${size.width}px`, height: `${size.height}px` };

  return (
    <div
      ref={frame}
      class="flow-heat"
      tabIndex={0}
      role="group"
      aria-label={label}
      data-arrow-keys
      data-testid="flow-heat"
      data-layer={layer}
      data-rows={grid.rows}
      data-columns={grid.columns}
      data-cell-width={placing.cellWidth}
      data-cell-height={placing.cellHeight}
      data-reached={[...marks.reached].length}
      {...handlers}
    >
      <canvas ref={canvas} role="img" aria-label={label} style={style} />
      <canvas ref={overlay} class="flow-marks" aria-hidden="true" style={style} />
    </div>
  );
}
