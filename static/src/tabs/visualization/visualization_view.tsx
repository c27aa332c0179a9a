/** Shows what the author draws, by scripts in a frame and by Python at export. */

import type { Store } from "../../state/store";
import { FigureView } from "./figure_view";
import { ScriptsView } from "./scripts_view";

export function VisualizationView({ store }: { store: Store }) {
  const { figures, visualizations } = store.bundle.index;
  return (
    <section class="page" aria-label="Visualization">
      {visualizations.length > 0 && <ScriptsView store={store} />}
      {figures.map((figure, k) => (
        <FigureView key={k} store={store} figure={figure} />
      ))}
    </section>
  );
}
