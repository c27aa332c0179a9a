/** The place of what is pinned, beside the graph of the modules. */

import type { Store } from "../../../state/store";
import { pinnedModules } from "../../../state/tab_options/module_pins";
import { Panels } from "./panels";

export function PanelArea({ store }: { store: Store }) {
  const names = pinnedModules(store);
  return (
    <section class="panel-area" data-testid="panel-area" data-drop-modules aria-label="Panels">
      {names.length === 0 ? (
        <p class="soft">Drag a module here, or select it and press p, to keep it in sight.</p>
      ) : (
        <Panels store={store} names={names} />
      )}
    </section>
  );
}
