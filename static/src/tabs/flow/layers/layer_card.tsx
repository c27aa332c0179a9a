/** A layer: its name, its cells, what their colours mean, and how it is laid out. */

import { useMemo } from "preact/hooks";
import type { Flow } from "../../../data/records/flows";
import type { LayerView } from "../../../state/tab_options/flow_layers";
import { brief, grouped, shapeText } from "../../../ui/text/format";
import type { Selecting } from "../use_selecting";
import { gridOf, latticeInWords, type Origin } from "./grid";
import { extentAroundZero, type Heat } from "./heat";
import { HeatView } from "./heat_view";
import { LayerOptions } from "./layer_options";

interface Props {
  flow: Flow;
  layer: number;
  /** Its name, with what tells it from the other layers. */
  shortName: string;
  view: LayerView;
  origin: Origin;
  heat: Heat;
  /** The selected elements of this layer. */
  selected: readonly number[];
  reached: ReadonlySet<number>;
  computed: Int32Array | null;
  /** Where flows lead from or to: "from conv1 [0, 3]". */
  between: string;
  /** What must be said of the selection; empty where nothing must. */
  remark: string;
  selecting: Selecting;
  onPoint: (element: number | null) => void;
  onView: (changed: Partial<LayerView>) => void;
}

/** Which channel is shown; empty where there are none to choose from. */
function pageInWords({ page }: LayerView, shape: readonly number[]): string {
  const places = page.flatMap((place, axis) => {
    const what = axis === page.length - 1 && shape.length === 3 ? "channel" : `dimension ${axis}`;
    return shape[axis] === 1 ? [] : [placeInWords(place, what)];
  });
  return places.length === 0 ? "" : `, ${places.join(", ")}`;
}

function placeInWords(place: LayerView["page"][number], what: string): string {
  switch (place) {
    case "strongest":
      return `strongest ${what} at each cell`;
    case "all":
      return `every ${what}`;
    default:
      return `${what} ${place}`;
  }
}

export function LayerCard(props: Props) {
  const { flow, layer, shortName, view, origin, heat, selected, reached, computed, between, remark, selecting } = props;
  const { name, shape, role } = flow.layers[layer]!;
  const grid = useMemo(
    () => gridOf(shape, view, origin, heat.numbers, selected),
    [shape, view, origin.row, origin.column, heat.numbers, selected],
  );
  const marks = useMemo(() => ({ selected, reached }), [selected, reached]);
  const extent = useMemo(() => extentAroundZero(heat.numbers), [heat.numbers]);
  const missing = useMemo(() => (computed === null ? 0 : computed.filter((known) => known === 0).length), [computed]);
  const what = `${heat.what === "flow" ? between : heat.what}${pageInWords(view, shape)}`;
  const lattice = latticeInWords(grid, view.zoom);
  return (
    <li class="flow-layer" data-testid="flow-layer" data-layer={layer} data-what={heat.what}>
      <header>
        <h2 title={name} aria-label={name}>
          <bdi>{shortName}</bdi>
        </h2>
        <span class="soft">
          {shapeText(shape)}
          {role === "layer" ? "" : `, ${role}`}
        </span>
      </header>
      {heat.what === "nothing" ? (
        <p class="soft">Neither its gradient nor its activation was recorded.</p>
      ) : (
        <p class="flow-legend soft" data-testid="flow-legend">
          <span class="flow-what" title={what}>
            <bdi>{what}</bdi>
          </span>
          {extent.high > 0 && (
            <span class="flow-scale">
              {`\u2212${brief(extent.high)}`} <span class="flow-ramp" aria-hidden="true" /> {`+${brief(extent.high)}`}
            </span>
          )}
        </p>
      )}
      <HeatView
        layer={layer}
        shape={shape}
        grid={grid}
        heat={heat}
        extent={extent}
        computed={computed}
        marks={marks}
        label={`${name}: ${what}. Arrow keys select an element, with Shift a box; Escape clears`}
        onPoint={props.onPoint}
        onSelect={(dragged) => (dragged === null ? selecting.clear() : void selecting.selectDragged(layer, dragged, grid, heat))}
      />
      <p class="flow-remark" role="status" data-testid="flow-remark">
        {remark}
      </p>
      {lattice !== "" && (
        <p class="soft" data-testid="flow-lattice">
          {lattice}
        </p>
      )}
      {missing > 0 && (
        <p
          class="soft"
          data-testid="flow-not-computed"
        >{`Flows into ${grouped(missing)} of its ${grouped(computed!.length)} elements were not computed. They are hatched.`}</p>
      )}
      <details class="flow-layer-more">
        <summary data-testid="flow-layer-options">Layout</summary>
        <LayerOptions
          layer={flow.layers[layer]!}
          view={view}
          selected={selected}
          onChange={props.onView}
          onElement={(element) => selecting.selectElement(layer, element)}
        />
      </details>
    </li>
  );
}
