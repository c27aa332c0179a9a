/** The layers of a gradient flow, in a row. */

import { useMemo } from "preact/hooks";
import type { Flow } from "../../data/records/flows";
import type { LoadedFlow } from "./flow_loading";
import type { FlowSettings } from "./flow_settings";
import { boxRemark, selectionName } from "./flow_text";
import { originOf } from "./layers/grid";
import { heatOf } from "./layers/heat";
import { LayerCard } from "./layers/layer_card";
import type { Pointed } from "./sankey/sankey_view";
import { shortNames } from "./sankey/short_names";
import type { Selecting } from "./use_selecting";

/** What fits into a line above the cells of a layer. */
const LONGEST_NAME = 28;

const NONE: readonly number[] = [];
const NO_ELEMENTS: ReadonlySet<number> = new Set();

interface Props {
  flow: Flow;
  settings: FlowSettings;
  selecting: Selecting;
  loaded: LoadedFlow;
  pointed: Pointed | null;
  onPoint: (layer: number, element: number | null) => void;
}

export function FlowLayers({ flow, settings, selecting, loaded, pointed, onPoint }: Props) {
  const { options, selection, elements, views } = settings;
  const { layers } = flow;
  const names = useMemo(
    () =>
      shortNames(
        Array.from(layers, ({ name }) => name),
        LONGEST_NAME,
      ),
    [flow],
  );
  const origin = useMemo(() => originOf(views), [views]);
  const pointedAlone = useMemo(() => new Set(pointed === null ? [] : [pointed.element]), [pointed]);
  const between = selection === null ? "" : selectionName(flow, selection);
  const remark = selection === null ? "" : [boxRemark(flow, selection), selecting.instead].filter((words) => words !== "").join(" ");
  return (
    <ul
      class="flow-layers"
      data-testid="flow-layers"
      data-state={loaded.isOld ? "waiting" : "ready"}
      data-selected={settings.selectionText}
    >
      {layers.map((_, layer) => (
        <LayerCard
          key={layer}
          flow={flow}
          layer={layer}
          shortName={names[layer]!}
          view={views[layer]!}
          origin={origin}
          heat={heatOf(options.coloring, loaded.numbers?.[layer], loaded.followed?.heat[layer] ?? null)}
          selected={selection?.layer === layer ? elements : NONE}
          reached={layer === pointed?.layer ? pointedAlone : (loaded.reached?.get(layer) ?? NO_ELEMENTS)}
          computed={loaded.computed?.[layer] ?? null}
          between={`flow ${selection !== null && layer > selection.layer ? "from" : "into"} ${between}`}
          remark={selection?.layer === layer ? remark : ""}
          selecting={selecting}
          onPoint={(element) => onPoint(layer, element)}
          onView={(changed) => settings.changeView(layer, changed)}
        />
      ))}
    </ul>
  );
}
