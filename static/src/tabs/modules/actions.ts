/** What a person can do with what is selected among the modules. */

import { writeNames } from "../../state/address/name_list";
import type { Store } from "../../state/store";
import { pinModule, pinnedModules, unpinModule } from "../../state/tab_options/module_pins";
import { lookInto } from "../../state/tab_options/module_place";
import type { DrawnLevel } from "./drawing/level_drawing";
import { keyAround, type Scene } from "./levels/scene";

export interface Actions {
  select: (item: number) => void;
  /** Looks into a call, or unfolds what is folded. */
  open: (item: number) => void;
  /** Null where nothing is around. */
  goUp: (() => void) | null;
  /** Folds again what an item belonged to; null where it was never unfolded. */
  foldAgain: (() => void) | null;
  /** Null where no module is selected. */
  togglePin: (() => void) | null;
}

export function actionsOf(
  store: Store,
  scene: Scene,
  drawn: DrawnLevel | null,
  selected: number,
  unfolded: readonly string[],
  again: string | undefined,
): Actions {
  const item = drawn?.items[selected];
  const open = (chosen: number): void => {
    const { kind, key, node } = drawn!.items[chosen]!;
    if (kind !== "single") {
      store.setView("unfold", writeNames([...unfolded.filter((other) => other !== key), key]));
      store.setView("at", drawn!.level.nodes[drawn!.items[chosen]!.members[0]!]!.key);
    } else if (node.hasCalls) {
      lookInto(store, key);
    }
  };
  const { flow, row, openKey } = scene;
  const name = item?.kind === "single" ? item.node.module : "";
  return {
    open,
    select: (chosen) => drawn?.items[chosen] !== undefined && store.setView("at", drawn.level.nodes[drawn.items[chosen]!.members[0]!]!.key),
    goUp: openKey === "" ? null : () => lookInto(store, flow === null || row === null ? "" : keyAround(flow, row), openKey),
    foldAgain: again === undefined ? null : () => store.setView("unfold", writeNames(unfolded.filter((key) => key !== again))),
    togglePin: name === "" ? null : () => (pinnedModules(store).includes(name) ? unpinModule(store, name) : pinModule(store, name)),
  };
}
