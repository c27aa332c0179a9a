/** How a picture is coloured, and which of its pages is shown. */

import { type Arrangement, type Axis, canTile, type Page, writePage } from "../../../kits/heatmap/board";
import { SCALES, type Scale } from "../../../kits/heatmap/value_colors";
import type { Store } from "../../../state/store";
import { Button } from "../../../ui/controls/button";
import { Select } from "../../../ui/controls/select";
import type { ExtentKind } from "./color_extent";

export const SCALE_LABELS: Readonly<Record<Scale, string>> = {
  diverging: "Around zero",
  sequential: "Smallest to largest",
  log: "Symmetric logarithm",
};

interface ColorProps {
  store: Store;
  /** What has been asked for, or null. */
  asked: Scale | null;
  fitting: Scale;
  extent: ExtentKind;
  /** Whether there is an extent that samples share. */
  hasShared: boolean;
  hasBatch: boolean;
}

export function ColorControls({ store, asked, fitting, extent, hasShared, hasBatch }: ColorProps) {
  return (
    <>
      <label class="picture-control">
        <span>Colors</span>
        <Select
          testid="picture-scale"
          value={asked ?? ""}
          choices={[["", `${SCALE_LABELS[fitting]} (fits)`], ...SCALES.map((scale) => [scale, SCALE_LABELS[scale]] as const)]}
          onChange={(scale) => store.setView("scale", scale || null)}
        />
      </label>
      <label class="picture-control">
        <span>Extent</span>
        <Select
          testid="picture-extent"
          disabled={!hasShared}
          value={hasShared ? extent : "view"}
          choices={[
            ["tensor", hasBatch ? "Of the whole batch" : "Of the whole tensor"],
            ["steps", "Of all steps"],
            ["view", "Of this picture"],
          ]}
          onChange={(kind) => store.setView("extent", kind === "tensor" ? null : kind)}
        />
      </label>
    </>
  );
}

/** A stepper for every axis that is neither rows nor columns. */
export function PageControls({ store, arrangement, page }: { store: Store; arrangement: Arrangement; page: Page }) {
  const last = arrangement.pages.length - 1;
  const set = (axis: number, place: number | null): void =>
    store.setView(
      "page",
      writePage(
        page.map((at, k) => (k === axis ? place : at)),
        arrangement,
      ),
    );
  return (
    <>
      {arrangement.pages.map((axis, k) => (
        <Stepper
          key={axis.position}
          axis={axis}
          place={page[k] ?? null}
          canShowAll={k === last && canTile(arrangement)}
          onChange={(place) => set(k, place)}
        />
      ))}
    </>
  );
}

interface StepperProps {
  axis: Axis;
  /** Null: all places side by side. */
  place: number | null;
  canShowAll: boolean;
  onChange: (place: number | null) => void;
}

function Stepper({ axis, place, canShowAll, onChange }: StepperProps) {
  const { name } = axis;
  const last = axis.size - 1;
  const go = (to: number): void => onChange(Math.max(0, Math.min(last, to)));
  return (
    <div class="picture-control" role="group" aria-label={`Index on ${name}`}>
      <span>{name.charAt(0).toUpperCase() + name.slice(1)}</span>
      {canShowAll && (
        <Button
          testid={`page-all-${axis.position}`}
          pressed={place === null}
          label={`All ${axis.size} of ${name}`}
          onClick={() => onChange(place === null ? 0 : null)}
        >
          All {axis.size}
        </Button>
      )}
      <Button
        class="step-button"
        testid={`page-previous-${axis.position}`}
        label={`Previous on ${name}`}
        inactive={place === 0}
        onClick={() => go((place ?? axis.size) - 1)}
      >
        {"\u2039"}
      </Button>
      <input
        type="number"
        min={0}
        max={last}
        data-testid={`page-${axis.position}`}
        aria-label={`Index on ${name}, from 0 to ${last}`}
        value={place ?? ""}
        placeholder={"\u2013"}
        onChange={(event) => event.currentTarget.value !== "" && go(Math.floor(Number(event.currentTarget.value)))}
      />
      <Button
        class="step-button"
        testid={`page-next-${axis.position}`}
        label={`Next on ${name}`}
        inactive={place === last}
        onClick={() => go((place ?? -1) + 1)}
      >
        {"\u203a"}
      </Button>
      <span class="soft">
        of 0{"\u2013"}
        {last}
      </span>
    </div>
  );
}
