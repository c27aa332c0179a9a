/** What is pinned of modules, side by side and on one time axis. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { STRONGEST_SHARE } from "../../../kits/history/history_layout";
import { timeScale } from "../../../kits/history/time_axis";
import { ANY_TYPE, TRIGGERED } from "../../../state/selection/selection";
import type { Store } from "../../../state/store";
import { unpinModule } from "../../../state/tab_options/module_pins";
import { showModule } from "../../../state/tab_options/module_place";
import { type PanelOptions, readPanelOptions, TIME_AXES, type TimeAxis, writePanelOptions } from "../../../state/tab_options/panel_options";
import { Button } from "../../../ui/controls/button";
import { Failure } from "../../../ui/notices/failure";
import { Loading } from "../../../ui/notices/loading";
import { counted, keyOf } from "../../../ui/text/format";
import { Panel } from "./panel";

const AXIS_NAMES: Readonly<Record<TimeAxis, string>> = { step: "Step", epoch: "Epoch", time: "Time" };

export function Panels({ store, names }: { store: Store; names: readonly string[] }) {
  // Read so that this is rendered again when something has arrived.
  void store.version.value;
  const text = store.view.value.get("history");
  const options = useMemo(() => readPanelOptions(text), [text]);
  const hovered = useSignal<number | null>(null);
  const trial = store.trial.value;
  const scale = useMemo(() => (trial === undefined ? null : timeScale(trial, options.axis)), [trial, options.axis]);
  if (trial === undefined || scale === null) {
    return null;
  }
  const [histograms, network] = [store.bundle.histograms(trial), store.bundle.network(trial)];
  const failed = [histograms, network].find((part) => part.state === "failed");
  if (failed?.state === "failed") {
    return <Failure store={store} error={failed.error} what="the histograms" />;
  }
  if (histograms.state !== "ready" || network.state !== "ready") {
    return <Loading />;
  }
  if (histograms.value === null) {
    return <Names store={store} names={names} />;
  }
  const { selection } = store;
  const { iteration, step } = selection.value;
  const types = typesOf(store, options);
  return (
    <div class="panels-frame">
      <PanelBar store={store} options={options} unknown={scale.unknown} />
      <ul class="panels" data-testid="panels" aria-label="Pinned modules" data-axis={options.axis}>
        {names.map((name, place) => (
          <Panel
            key={`${keyOf(trial)}/${name}`}
            store={store}
            name={name}
            place={place}
            count={names.length}
            trial={trial}
            network={network.value}
            histograms={histograms.value!}
            iteration={iteration}
            step={step}
            types={types}
            options={options}
            scale={scale}
            hovered={hovered}
          />
        ))}
      </ul>
    </div>
  );
}

/** The types of steps that are shown: the selected one, where any is selected that of the shown step, or all of them. */
function typesOf(store: Store, { allTypes }: PanelOptions): string[] {
  const trial = store.trial.value!;
  const { steps } = trial;
  const nameOf = (position: number): string => store.bundle.text(position);
  if (allTypes) {
    return [...new Set(steps.type)].map(nameOf);
  }
  const { stepType, step } = store.selection.value;
  const place = Math.max(0, steps.step.indexOf(step));
  return stepType === ANY_TYPE || stepType === TRIGGERED
    ? steps.type[place] === undefined
      ? []
      : [nameOf(steps.type[place])]
    : [stepType];
}

function PanelBar({ store, options, unknown }: { store: Store; options: PanelOptions; unknown: number }) {
  const change = (changed: Partial<PanelOptions>): void => store.setView("history", writePanelOptions({ ...options, ...changed }));
  const hasTypes = new Set(store.trial.value?.steps.type).size > 1;
  return (
    <div class="panel-bar">
      <div class="button-group" role="group" aria-label="Time axis of the panels">
        {TIME_AXES.map((axis) => (
          <Button key={axis} testid={`axis-${axis}`} pressed={options.axis === axis} onClick={() => change({ axis })}>
            {AXIS_NAMES[axis]}
          </Button>
        ))}
      </div>
      <Button
        testid="panel-types"
        pressed={options.allTypes}
        inactive={!hasTypes}
        title="All types of steps side by side, instead of the selected one"
        onClick={() => hasTypes && change({ allTypes: !options.allTypes })}
      >
        All types
      </Button>
      <Button
        testid="panel-quantiles"
        pressed={options.quantiles}
        title="Lines: the median, and the range of the middle 90 % of the values"
        onClick={() => change({ quantiles: !options.quantiles })}
      >
        Quantiles
      </Button>
      <Button
        testid="panel-norms-button"
        pressed={options.norms}
        title="The Euclidean norm of the values and of the gradient of each recorded sample, on the step that is shown"
        onClick={() => change({ norms: !options.norms })}
      >
        Norm per sample
      </Button>
      <span class="panel-legend soft" data-testid="panel-legend">
        share of the values in a bin: 0 <span class="density-ramp" aria-hidden="true" /> {STRONGEST_SHARE * 100}
        {" % or more"}
      </span>
      {unknown > 0 && (
        <span class="soft" data-testid="panel-unknown">
          {counted(unknown, "step")} without {options.axis === "epoch" ? "an epoch: call recorder.set_epoch in the script" : "a time"}.
        </span>
      )}
    </div>
  );
}

/** Without histograms, the names alone. */
function Names({ store, names }: { store: Store; names: readonly string[] }) {
  return (
    <>
      <p class="soft" data-testid="panels-empty">
        This page holds no histograms: <code class="mono">watch</code> records them unless <code class="mono">histograms=False</code>, and
        an export may leave them out to limit the size of the page.
      </p>
      <ul class="panels" data-testid="panels" aria-label="Pinned modules">
        {names.map((name) => (
          <li key={name} class="pinned-panel" data-testid="panel" data-module={name}>
            <Button class="link" title="Show it in the graph" onClick={() => showModule(store, name)}>
              <bdi>{name}</bdi>
            </Button>
            <Button testid="panel-unpin" label={`Unpin ${name}`} onClick={() => unpinModule(store, name)}>
              {"\u00d7"}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
