/** One chart per group of curves. */

import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import type { Curve } from "../data/types";
import type { Store } from "../state/store";
import { createChart, resetZoom } from "./curve_chart";
import { curveGroups, type ChartData, type CurveGroup, type StyledCurve } from "./curve_data";
import { CurveLegend } from "./curve_legend";
import { DocumentView } from "./documents_view";
import { brief, counted, keyOf } from "./format";
import { isDark } from "./theme";

export function CurvesView({ store }: { store: Store }) {
  return (
    <DocumentView store={store} read={(bundle, trial) => bundle.curves(trial)} what="the curves">
      {(curves, trial) => <Groups key={keyOf(trial)} curves={curves} />}
    </DocumentView>
  );
}

function Groups({ curves }: { curves: readonly Curve[] }) {
  const groups = useMemo(() => curveGroups(curves), [curves]);
  if (groups.length === 0) {
    return <p class="empty" data-testid="curves-empty">There are no curves in this trial.</p>;
  }
  return (
    <section class="page" aria-label="Graphs">
      {groups.map((group) => <Chart key={group.group} group={group} />)}
    </section>
  );
}

function Chart({ group }: { group: CurveGroup }) {
  const { curves } = group;
  const [visible, setVisible] = useState<readonly boolean[]>(() => curves.map(() => true));
  const [logarithmic, setLogarithmic] = useState(false);
  const { frame, drawn, hovered, zoomed, notPositive } = useChart(curves, visible, logarithmic);
  const toggle = (k: number): void => {
    drawn.current?.chart.setSeries(k + 1, { show: !visible[k] });
    setVisible(visible.map((shown, other) => (other === k ? !shown : shown)));
  };
  const hasNonFinite = curves.some((curve) => curve.v.some((value) => !Number.isFinite(value)));
  return (
    <figure class="chart" data-testid="chart" data-group={group.group} aria-label={`Curves of ${group.group}`}>
      <figcaption class="page-bar">
        <h2><bdi>{group.group}</bdi></h2>
        <button type="button" aria-pressed={logarithmic} data-testid="log-y" onClick={() => setLogarithmic(!logarithmic)}>Logarithmic</button>
        <button type="button" aria-disabled={!zoomed} data-testid="reset-zoom" onClick={() => drawn.current && resetZoom(drawn.current.chart, drawn.current.data)}>Reset zoom</button>
        <span class="soft">
          {hovered === null ? "Drag to zoom" : `at ${brief(hovered)}`}
          {notPositive > 0 && `; ${counted(notPositive, "value")} of zero or less not shown`}
          {hasNonFinite && "; NaN and infinities are marked at the edges"}
        </span>
      </figcaption>
      <div ref={frame} class="chart-frame" role="img" aria-label={`Chart with ${counted(curves.length, "curve")}; its values are in the legend`} />
      <CurveLegend curves={curves} visible={visible} time={hovered} onToggle={toggle} />
    </figure>
  );
}

interface LiveChart {
  frame: RefObject<HTMLDivElement | null>;
  drawn: RefObject<{ chart: uPlot; data: ChartData } | null>;
  /** The time under the pointer, or null. */
  hovered: number | null;
  zoomed: boolean;
  /** Values that the logarithmic scale does not show. */
  notPositive: number;
}

/** Draws the chart anew when its scale or the theme changes, and as wide as there is room. */
function useChart(curves: readonly StyledCurve[], visible: readonly boolean[], logarithmic: boolean): LiveChart {
  const frame = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ chart: uPlot; data: ChartData } | null>(null);
  const [zoomed, setZoomed] = useState(false);
  const [hovered, setHovered] = useState<number | null>(null);
  const [notPositive, setNotPositive] = useState(0);
  const dark = isDark.value;
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) {
      return undefined;
    }
    const created = createChart(element, { curves, visible, logarithmic, width: element.clientWidth, onHover: setHovered, onZoom: setZoomed });
    drawn.current = created;
    setNotPositive(created.data.notPositive);
    setZoomed(false);
    const observer = new ResizeObserver(() => {
      const { width, height } = created.chart;
      if (element.clientWidth > 0 && element.clientWidth !== width) {
        created.chart.setSize({ width: element.clientWidth, height });
      }
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.chart.destroy();
    };
  }, [curves, logarithmic, dark]);
  return { frame, drawn, hovered, zoomed, notPositive };
}
