/** The part of the form that says what a note points at. */

import type { Store } from "../../state/store";
import type { PointKind, PointTexts } from "../../state/story/story";
import { Select } from "../../ui/controls/select";
import { curveNames, pointChoices, pointTexts } from "./points";

interface Props {
  store: Store;
  point: PointTexts;
  onChange: (point: PointTexts) => void;
}

const LABELS: Readonly<Record<PointKind, string>> = {
  none: "",
  node: "Name of the node",
  cell: "Index of the cell",
  curve: "Name of the curve",
};

export function PointFields({ store, point, onChange }: Props) {
  const choices = pointChoices(store, point.kind);
  const curves = point.kind === "curve" ? curveNames(store) : [];
  return choices.length === 1 ? null : (
    <span class="story-point">
      <label>
        Point at{" "}
        <Select
          testid="note-point"
          value={point.kind}
          choices={choices}
          onChange={(kind) => onChange(pointTexts(null, kind as PointKind, store))}
        />
      </label>
      {curves.length > 0 ? (
        <Select
          testid="note-point-name"
          label={LABELS.curve}
          value={point.name}
          choices={curves.map((name) => [name, name])}
          onChange={(name) => onChange({ ...point, name })}
        />
      ) : point.kind === "none" ? null : (
        <input
          type="text"
          data-testid="note-point-name"
          aria-label={LABELS[point.kind]}
          placeholder={point.kind === "cell" ? "0, 3" : "name"}
          value={point.name}
          onInput={(event) => onChange({ ...point, name: event.currentTarget.value })}
        />
      )}
      {point.kind === "curve" && (
        <input
          type="text"
          data-testid="note-point-step"
          aria-label="Step of the curve"
          placeholder="step"
          value={point.step}
          onInput={(event) => onChange({ ...point, step: event.currentTarget.value })}
        />
      )}
    </span>
  );
}
