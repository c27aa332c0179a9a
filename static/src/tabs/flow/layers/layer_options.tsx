/** How a layer is laid out: its channel, its alignment with other layers, its zoom, and the element that is typed. */

import type { FlowLayer } from "../../../data/records/flows";
import {
  canBeNeighbours,
  canStandSideBySide,
  type LayerView,
  MOST_OFFSET,
  mostZoom,
  type Place,
} from "../../../state/tab_options/flow_layers";
import { CheckedField } from "../../../ui/controls/checked_field";
import { type Choice, Select } from "../../../ui/controls/select";
import { indexText, placeOfIndex } from "../../../ui/text/format";

/** With more places than this, a person types the place. */
const MOST_LISTED = 256;

interface Props {
  layer: FlowLayer;
  view: LayerView;
  /** The selected elements of this layer. */
  selected: readonly number[];
  onChange: (changed: Partial<LayerView>) => void;
  onElement: (element: number) => void;
}

export function LayerOptions({ layer, view, selected, onChange, onElement }: Props) {
  const { shape, name } = layer;
  const most = mostZoom(shape);
  return (
    <div class="flow-layer-options">
      {view.page.map((place, axis) => (
        <PlacePicker
          key={axis}
          layer={layer}
          axis={axis}
          place={place}
          isLast={axis === view.page.length - 1}
          onChange={(next) => onChange({ page: view.page.map((old, k) => (k === axis ? next : old)) })}
        />
      ))}
      {shape.length >= 2 && (
        <>
          <NumberField
            label="Rows down"
            name={name}
            value={view.rowOffset}
            low={-MOST_OFFSET}
            high={MOST_OFFSET}
            testid="flow-row-offset"
            onChange={(rowOffset) => onChange({ rowOffset })}
          />
          <NumberField
            label="Columns right"
            name={name}
            value={view.columnOffset}
            low={-MOST_OFFSET}
            high={MOST_OFFSET}
            testid="flow-column-offset"
            onChange={(columnOffset) => onChange({ columnOffset })}
          />
          {most > 0 && (
            <NumberField
              label="Zoom (halvings)"
              name={name}
              value={view.zoom}
              low={0}
              high={most}
              testid="flow-zoom"
              onChange={(zoom) => onChange({ zoom })}
            />
          )}
        </>
      )}
      {canBeNeighbours(shape) && (
        <label class="flow-option">
          <input
            type="checkbox"
            data-testid="flow-neighbours"
            aria-label={`3 \u00d7 3 neighbours of ${name}`}
            checked={view.neighbours}
            onChange={(event) => onChange({ neighbours: event.currentTarget.checked })}
          />
          <span title="The nine channels are the neighbours of each cell: move each to its place">3 &times; 3 neighbours</span>
        </label>
      )}
      {shape.length > 0 && <ElementField layer={layer} selected={selected} onElement={onElement} />}
    </div>
  );
}

function PlacePicker({
  layer: { shape, name },
  axis,
  place,
  isLast,
  onChange,
}: {
  layer: FlowLayer;
  axis: number;
  place: Place;
  isLast: boolean;
  onChange: (place: Place) => void;
}) {
  const size = shape[axis]!;
  const label = isLast && shape.length === 3 ? "Channel" : `Dimension ${axis}`;
  if (size > MOST_LISTED && !isLast) {
    return <NumberField label={label} name={name} value={Number(place)} low={0} high={size - 1} testid="flow-place" onChange={onChange} />;
  }
  const listed = Array.from({ length: Math.min(size, MOST_LISTED) }, (_, k) => String(k));
  const choices: Choice[] = [
    ...(isLast && size > 1 ? [["strongest", "strongest at each cell"] as const] : []),
    ...(isLast && canStandSideBySide(shape) ? [["all", "all side by side"] as const] : []),
    ...[...listed, ...(typeof place === "number" && place >= MOST_LISTED ? [String(place)] : [])].map((text) => [text, text] as const),
  ];
  return (
    <label class="flow-option">
      <span>{label}</span>
      <Select
        testid="flow-place"
        label={`${label} of ${name}`}
        value={String(place)}
        choices={choices}
        onChange={(text) => onChange(text === "all" || text === "strongest" ? text : Number(text))}
      />
    </label>
  );
}

interface NumberProps {
  label: string;
  /** The name of the layer, for those who hear the label alone. */
  name: string;
  value: number;
  low: number;
  high: number;
  testid: string;
  onChange: (value: number) => void;
}

function NumberField({ label, name, value, low, high, testid, onChange }: NumberProps) {
  const check = (text: string): string =>
    /^-?\d+$/.test(text) && Number(text) >= low && Number(text) <= high
      ? ""
      : `Type a whole number from ${low} to ${high}.`.replaceAll("-", "\u2212");
  return (
    <label class="flow-option">
      <span>{label}</span>
      <CheckedField
        class="flow-number"
        testid={testid}
        label={`${label}: ${name}`}
        text={String(value)}
        check={check}
        takes="input"
        bounds={[low, high]}
        onText={(text) => onChange(Number(text))}
      />
    </label>
  );
}

interface ElementProps {
  layer: FlowLayer;
  selected: readonly number[];
  onElement: (element: number) => void;
}

function ElementField({ layer: { shape, name }, selected, onElement }: ElementProps) {
  const example = shape.map(() => "0").join(", ");
  const check = (text: string): string =>
    placeOfIndex(text, shape) === null ? `Type an index below ${shape.join(", ")}, such as ${example}.` : "";
  return (
    <label class="flow-option">
      <span>Element</span>
      <CheckedField
        class="flow-element"
        testid="flow-element"
        label={`Element of ${name} to select, such as ${example}; Enter selects it`}
        placeholder={example}
        text={selected.length === 1 ? indexText(selected[0]!, shape) : ""}
        check={check}
        takes="enter"
        onText={(text) => onElement(placeOfIndex(text, shape)!)}
      />
    </label>
  );
}
