/** What is pinned of modules, side by side. */

import { pinnedModules, unpinModule } from "../../state/module_pins";
import { showModule } from "../../state/module_place";
import type { Store } from "../../state/store";

export function Panels({ store }: { store: Store }) {
  return (
    <ul class="panels" data-testid="panels" aria-label="Pinned modules">
      {pinnedModules(store).map((name) => (
        <li key={name} data-testid="panel">
          <button type="button" class="link" title="Show it in the graph" onClick={() => showModule(store, name)}><bdi>{name}</bdi></button>
          <button type="button" aria-label={`Unpin ${name}`} onClick={() => unpinModule(store, name)}>{"\u00d7"}</button>
        </li>
      ))}
    </ul>
  );
}
