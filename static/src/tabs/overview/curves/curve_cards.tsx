/** The curves of all trials, a small chart for each name, with the last and the best values. */

import { useMemo } from "preact/hooks";
import type { Trial } from "../../../data/format/types";
import { SmallChart } from "../../../kits/charts/small_chart";
import { timeInWords } from "../../../kits/charts/time_text";
import { writeLink } from "../../../state/address/url";
import { trialNamed } from "../../../state/selection/options";
import { recordedTypes } from "../../../state/selection/type_order";
import type { Store } from "../../../state/store";
import { readCurveOptions, trialColors } from "../../../state/tab_options/curve_options";
import { NotReady } from "../../../ui/notices/loading";
import { brief, counted } from "../../../ui/text/format";
import { Name } from "../../../ui/text/name";
import { type ConstantCurve, type CurveChart, chartsOf, constantOf, hasTypesTogether, type Point, type SummedLine } from "./curve_summary";

/** Trials whose curves are drawn, charts, constants, and lines of a chart that are listed. */
const TRIALS = 12;
const CHARTS = 8;
const CONSTANTS = 12;
const LINES = 6;

export function CurveCards({ store, trial }: { store: Store; trial: Trial }) {
  // Read so that this is rendered again when something has arrived.
  void store.version.value;
  const { trials, others } = trialsWith(store, trial);
  const curvesText = store.view.value.get("curves");
  const colors = useMemo(() => trialColors(store.bundle.index.trials, readCurveOptions(curvesText).colors), [store.bundle, curvesText]);
  const loaded = trials.map((each) => ({ trial: each.name, curves: store.bundle.curves(each), types: recordedTypes(store.bundle, each) }));
  const own = loaded.find((each) => each.trial === trial.name)!.curves;
  const known = loaded.flatMap(({ trial: name, curves, types }) =>
    curves.state === "ready" ? [{ trial: name, curves: curves.value, color: colors.get(name)!, types }] : [],
  );
  const failed = loaded.filter(({ curves }) => curves.state === "failed").length;
  const all = useMemo(() => chartsOf(known), [colors, ...known.map(({ curves }) => curves)]);
  const constants = useMemo(() => all.flatMap((chart) => constantOf(chart) ?? []), [all]);
  const charts = useMemo(() => all.filter((chart) => constantOf(chart) === null), [all]);
  return (
    <section class="curve-cards" aria-label="Curves" data-testid="curve-cards">
      <h2>Curves</h2>
      {own.state !== "ready" && known.length === 0 ? (
        <NotReady store={store} loaded={own} what="the curves" />
      ) : all.length === 0 ? (
        <p class="soft" data-testid="overview-no-curves">
          No curves were recorded: <code class="mono">recorder.record_kpi_in_graph(group, name, value)</code> adds a point to one.
        </p>
      ) : (
        <div class="curve-grid">
          {charts.slice(0, CHARTS).map((chart) => (
            <CurveCard key={`${chart.group}/${chart.name}`} store={store} chart={chart} />
          ))}
        </div>
      )}
      {constants.length > 0 && <Constants store={store} constants={constants} />}
      {charts.length > CHARTS && <p class="soft">{counted(charts.length - CHARTS, "more curve")} on the Graphs tab.</p>}
      {others > 0 && <p class="soft">The curves of {counted(others, "more trial")} are not drawn here.</p>}
      {failed > 0 && own.state === "ready" && <p class="soft">The curves of {counted(failed, "trial")} could not be loaded.</p>}
    </section>
  );
}

/** The first trials, and the shown one in any case; of each the rank that is shown, or its first. */
function trialsWith({ bundle }: Store, shown: Trial): { trials: Trial[]; others: number } {
  const all = bundle.index.trials;
  const names = [...new Set(all.map(({ name }) => name))];
  const first = names.slice(0, TRIALS);
  const drawn = first.includes(shown.name) ? first : [...first.slice(1), shown.name];
  return { trials: drawn.map((name) => trialNamed(bundle, name, shown)!), others: names.length - drawn.length };
}

/** What leads to the chart of a group on the Graphs tab. */
function linkToChart(store: Store, group: string) {
  return {
    href: `#${writeLink("graphs", store.selection.value, store.view.value)}`,
    title: "Open Graphs",
    onClick: ({ ctrlKey, metaKey, shiftKey }: MouseEvent): void => {
      // With one of these keys, the link opens elsewhere.
      store.soughtCurves.value = ctrlKey || metaKey || shiftKey ? null : group;
    },
  };
}

function titleOf({ group, name }: { group: string; name: string }): string {
  return group === name ? name : `${group}: ${name}`;
}

/** Curves that never change, in words: `lr 0.01 (constant)`. */
function Constants({ store, constants }: { store: Store; constants: readonly ConstantCurve[] }) {
  return (
    <ul class="constant-curves" data-testid="constant-curves">
      {constants.slice(0, CONSTANTS).map((constant) => (
        <li key={`${constant.group}/${constant.name}`}>
          <a {...linkToChart(store, constant.group)}>
            <bdi>{titleOf(constant)}</bdi>
          </a>{" "}
          <bdi>
            {constant.values
              .map(({ value, lines }) => [brief(value), ...(lines.length > 0 ? [`in ${listed(lines)}`] : [])].join(" "))
              .join("; ")}
          </bdi>{" "}
          <span class="soft">(constant)</span>
        </li>
      ))}
      {constants.length > CONSTANTS && <li class="soft">{counted(constants.length - CONSTANTS, "more constant")} on the Graphs tab.</li>}
    </ul>
  );
}

function listed(lines: readonly string[]): string {
  return [...lines.slice(0, LINES), ...(lines.length > LINES ? [`${lines.length - LINES} more`] : [])].join(", ");
}

function CurveCard({ store, chart }: { store: Store; chart: CurveChart }) {
  const { group, name, better, lines } = chart;
  const title = titleOf(chart);
  return (
    <div class="curve-card" data-testid="curve-card" data-name={name}>
      <a class="curve-link" {...linkToChart(store, group)}>
        <h3>
          <bdi>{title}</bdi>
        </h3>
        <SmallChart lines={lines} label={`Chart of ${title} with ${counted(lines.length, "line")}`} step={store.selection.value.step} />
      </a>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Curve</span>
            </th>
            <th scope="col" class="number">
              last
            </th>
            {better !== null && (
              <th scope="col" class="number">
                {better}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, LINES).map((line, k) => (
            <LineRow key={k} line={line} name={line.name || name} hasBest={better !== null} />
          ))}
        </tbody>
      </table>
      {hasTypesTogether(chart) && (
        <p class="soft" data-testid="curve-drawn">
          All {chart.types} types of steps are drawn together. The table shows single steps.
        </p>
      )}
      {lines.length > LINES && <p class="soft">and {counted(lines.length - LINES, "more line")}</p>}
    </div>
  );
}

function LineRow({ line, name, hasBest }: { line: SummedLine; name: string; hasBest: boolean }) {
  return (
    <tr data-testid="curve-line">
      <th scope="row">
        <span class="curve-name">
          <svg class="curve-swatch" width="22" height="8" aria-hidden="true">
            <line x1="0" x2="22" y1="4" y2="4" style={{ stroke: `var(--curve-${line.color})`, strokeDasharray: line.dash.join(" ") }} />
          </svg>
          <Name text={name} />
        </span>
      </th>
      <td class="number">
        <PointText point={line.last} />
      </td>
      {hasBest && (
        <td class="number">
          <PointText point={line.best} />
        </td>
      )}
    </tr>
  );
}

function PointText({ point }: { point: Point | null }) {
  return point === null ? (
    <>none</>
  ) : (
    <>
      <span class="curve-part">{brief(point.v)}</span> <span class="curve-part soft">{timeInWords(point.t)}</span>
    </>
  );
}
