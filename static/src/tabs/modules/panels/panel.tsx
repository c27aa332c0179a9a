/** A pinned module: its inputs, outputs and parameters, with their gradients beside them, over time. */

import type { Signal } from "@preact/signals";
import type { Network, Trial } from "../../../data/format/types";
import type { HistogramRecord } from "../../../data/records/histograms";
import type { HistogramsOfTrial } from "../../../data/records/trial_histograms";
import { RecordHistory } from "../../../kits/history/record_history";
import { placeInWords, type TimeScale } from "../../../kits/history/time_axis";
import { FORWARD } from "../../../state/selection/selection";
import type { Store } from "../../../state/store";
import { movePin, unpinModule } from "../../../state/tab_options/module_pins";
import { showModule } from "../../../state/tab_options/module_place";
import type { PanelOptions } from "../../../state/tab_options/panel_options";
import { Button } from "../../../ui/controls/button";
import { NotReady } from "../../../ui/notices/loading";
import { useSize } from "../../../ui/use_size";
import { PartsLine } from "../parts_line";
import { type ModuleTensor, tensorsOfModule } from "./module_tensors";
import { PanelFigure } from "./panel_figure";
import { SampleNorms } from "./sample_norms";

const COLUMN_GAP = 8;

interface PanelProps {
  store: Store;
  name: string;
  /** Its place among the pinned modules, and how many these are. */
  place: number;
  count: number;
  trial: Trial;
  network: Network;
  histograms: HistogramsOfTrial;
  iteration: number;
  step: number;
  /** The types of steps that are shown, side by side. */
  types: readonly string[];
  options: PanelOptions;
  scale: TimeScale;
  /** The step that is asked about in any panel. */
  hovered: Signal<number | null>;
}

export function Panel(props: PanelProps) {
  const { store, name, place, count, network } = props;
  const module = network.modules.findIndex((candidate) => candidate.name === name);
  const title = `${name}, panel ${place + 1} of ${count}`;
  return (
    <li class="pinned-panel" data-testid="panel" data-module={name}>
      <section aria-label={title}>
        <header class="panel-head">
          <h3 title={name}>
            <bdi>{name}</bdi>
          </h3>
          <span class="soft">
            <bdi>{network.modules[module]?.type}</bdi>
          </span>
          <span class="panel-buttons">
            {module >= 0 && (
              <Button
                testid="panel-show"
                label={`Show ${name} in the graph`}
                title="Show in the graph"
                onClick={() => showModule(store, name)}
              >
                Graph
              </Button>
            )}
            <Button
              testid="panel-left"
              inactive={place === 0}
              label={`Move ${name} left`}
              title="Move left"
              onClick={() => movePin(store, name, Math.max(0, place - 1))}
            >
              {"\u2190"}
            </Button>
            <Button
              testid="panel-right"
              inactive={place === count - 1}
              label={`Move ${name} right`}
              title="Move right"
              onClick={() => movePin(store, name, Math.min(count - 1, place + 1))}
            >
              {"\u2192"}
            </Button>
            <Button testid="panel-unpin" label={`Unpin ${name}`} title="Unpin" onClick={() => unpinModule(store, name)}>
              {"\u00d7"}
            </Button>
          </span>
        </header>
        {module < 0 ? (
          <p class="soft" data-testid="panel-missing">
            This trial has no module with this name.
          </p>
        ) : (
          <Tensors {...props} module={module} />
        )}
      </section>
    </li>
  );
}

function Tensors(props: PanelProps & { module: number }) {
  const { store, trial, network, histograms, iteration, types, module } = props;
  const ofModule = tensorsOfModule(store.bundle, trial, network, module, iteration, types);
  if (ofModule.state !== "ready") {
    return <NotReady store={store} loaded={ofModule} what="the calls of this module" />;
  }
  const { tensors, parts, waiting } = ofModule.value;
  const partsLine = parts !== null && (
    <PartsLine
      store={store}
      network={network}
      module={module}
      hasOwn={tensors.some(({ isParameter }) => isParameter)}
      parts={parts}
      where="panels"
    />
  );
  const recordsOf = ({ recordedAs }: ModuleTensor): HistogramRecord[] =>
    [...recordedAs].flatMap(([type, { name, iteration }]) => histograms.records(name, iteration).filter((record) => record.type === type));
  const rows = tensors.map((tensor) => ({ tensor, records: recordsOf(tensor) })).filter(({ records }) => records.length > 0);
  const groups = [...new Set(rows.flatMap(({ records }) => records.map((record) => record.group)))].sort(
    (a, b) => Number(b === FORWARD) - Number(a === FORWARD),
  );
  const columns = types
    .flatMap((type) => groups.map((group) => ({ type, group })))
    .filter(({ type, group }) => rows.some(({ records }) => records.some((record) => record.group === group && record.type === type)));
  if (rows.length === 0) {
    return (
      <>
        <p class="soft" data-testid="panel-empty">
          {waiting > 0 ? "Loading\u2026" : `It has no histograms on steps of the type ${types.join(" or ")}.`}
        </p>
        {partsLine}
      </>
    );
  }
  return (
    <>
      <Grid {...props} rows={rows} columns={columns} />
      {partsLine}
    </>
  );
}

interface GridProps extends PanelProps {
  module: number;
  rows: readonly { tensor: ModuleTensor; records: readonly HistogramRecord[] }[];
  columns: readonly { type: string; group: string }[];
}

/** The plots, all of the same width: measured once, and not for each of them. */
function Grid({ rows, columns, ...props }: GridProps) {
  const { types, scale } = props;
  const [frame, { width }] = useSize();
  // The borders are not part of a plot.
  const plotWidth = Math.max(0, Math.floor((width - (columns.length - 1) * COLUMN_GAP) / columns.length) - 2);
  const labels = columns.map(({ type, group }) => columnLabel(type, group, types));
  const figure = {
    store: props.store,
    name: props.name,
    type: props.network.modules[props.module]!.type,
    types,
    columns: labels,
    rows: rows.map(({ tensor, records }) => ({
      label: `${tensor.label}${namesOf(tensor, props.name)
        .map((name) => ` is ${name}`)
        .join(",")}`,
      records: tensor.sameAs !== null ? [] : columns.map((column) => recordIn(records, column)),
    })),
    view: { scale, step: props.step, quantiles: props.options.quantiles },
  };
  return (
    <div
      ref={frame}
      class="panel-grid"
      style={{ columnGap: `${COLUMN_GAP}px`, gridTemplateColumns: `repeat(${columns.length}, minmax(0, 1fr))` }}
    >
      {labels.map((label) => (
        <div key={label} class="panel-column-head soft">
          <bdi>{label}</bdi>
        </div>
      ))}
      {rows.map(({ tensor, records }) => (
        <TensorRow
          key={`${tensor.label}/${[...tensor.recordedAs.values()].map(({ name, iteration }) => `${iteration}/${name}`).join()}`}
          {...props}
          tensor={tensor}
          records={records}
          columns={columns}
          width={plotWidth}
        />
      ))}
      <div class="panel-axis soft" aria-hidden="true">
        <span>{placeInWords(scale.low, scale.axis)}</span>
        <span>{scale.axis === "time" ? "since the beginning" : scale.axis}</span>
        <span>{placeInWords(scale.high, scale.axis)}</span>
      </div>
      <div class="panel-figure">
        <PanelFigure {...figure} />
      </div>
    </div>
  );
}

function columnLabel(type: string, group: string, types: readonly string[]): string {
  const what = group === FORWARD ? "values" : group;
  return types.length > 1 ? `${type}: ${what}` : what;
}

/** What a tensor is called after where it was first seen, if that is elsewhere: of each type of steps, where they differ. */
function elsewhere({ isParameter, recordedAs }: ModuleTensor, module: string): string[] {
  const names = new Set([...recordedAs.values()].map(({ name }) => name));
  const isOwn = (name: string): boolean => isParameter || name.startsWith(`${module}:`) || name.startsWith(`${module} (call`);
  return names.size === 1 ? [...names].filter((name) => !isOwn(name)) : [...recordedAs].map(([type, { name }]) => `${name} (${type})`);
}

/** What its label is followed by. If two are the same tensor, both name the other. */
function namesOf(tensor: ModuleTensor, module: string): string[] {
  return tensor.sameAs === null ? elsewhere(tensor, module) : [`the same tensor as ${tensor.sameAs}`];
}

function recordIn(records: readonly HistogramRecord[], { type, group }: { type: string; group: string }): HistogramRecord | undefined {
  return records.find((candidate) => candidate.type === type && candidate.group === group);
}

interface RowProps extends PanelProps {
  /** The size of a plot, in pixels. */
  width: number;
  tensor: ModuleTensor;
  records: readonly HistogramRecord[];
  columns: readonly { type: string; group: string }[];
}

function TensorRow(props: RowProps) {
  const { store, tensor, records, columns, name, scale, step, hovered, options, width, trial } = props;
  return (
    <>
      <h4 class="panel-tensor" title={[...new Set([...tensor.recordedAs.values()].map((recorded) => recorded.name))].join(", ")}>
        <bdi>{tensor.label}</bdi>
        {namesOf(tensor, name).map((other, k) => (
          <span key={other} class="soft">
            {k > 0 && ","} is <bdi>{other}</bdi>
          </span>
        ))}
      </h4>
      {tensor.sameAs === null &&
        columns.map(({ type, group }) => {
          const record = recordIn(records, { type, group });
          const label = `${name}, ${tensor.label}, ${columnLabel(type, group, props.types)}`;
          return (
            <div key={`${type}/${group}`} class="panel-cell">
              {record !== undefined && (
                <RecordHistory
                  store={store}
                  record={record}
                  label={label}
                  scale={scale}
                  step={step}
                  hovered={hovered}
                  quantiles={options.quantiles}
                  width={width}
                  isMerged={trial.rank === null}
                />
              )}
              {record !== undefined && options.norms && <SampleNorms store={store} trial={trial} record={record} step={step} />}
            </div>
          );
        })}
    </>
  );
}
