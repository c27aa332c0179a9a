/** The buttons of the modules: to look into one, to fold, to pin, for the view; and a field to find a module. */

import { useMemo } from "preact/hooks";
import type { Store } from "../../state/store";
import { pinnedModules } from "../../state/tab_options/module_pins";
import { lookInto } from "../../state/tab_options/module_place";
import { Button } from "../../ui/controls/button";
import { SearchField } from "../../ui/controls/search_field";
import { ZoomButtons } from "../../ui/controls/zoom_buttons";
import type { Actions } from "./actions";
import type { ModuleCanvas } from "./drawing/canvas";
import type { DrawnLevel } from "./drawing/level_drawing";
import { callSuffix } from "./levels/call_graph";
import { callKey } from "./levels/keys";
import { keyAround, type Scene, UNION } from "./levels/scene";

interface Props {
  store: Store;
  scene: Scene;
  drawn: DrawnLevel | null;
  selected: number;
  canvas: ModuleCanvas | null;
  actions: Actions;
  /** Sees to it that a node is drawn alone. */
  reveal: (key: string) => void;
}

export function ModuleToolbar({ store, scene, drawn, selected, canvas, actions, reveal }: Props) {
  const item = drawn?.items[selected];
  const isUnion = store.view.value.get("union") === UNION;
  const isFolded = item !== undefined && item.kind !== "single";
  const canOpen = item !== undefined && (isFolded || item.node.hasCalls);
  const toggleFold = isFolded ? () => actions.open(selected) : actions.foldAgain;
  const isPinned = item !== undefined && pinnedModules(store).includes(item.node.module);
  const { flow } = scene;
  const calls = useMemo(
    () =>
      (flow?.calls ?? []).map(({ name, number, type }, row) => ({
        name: `${name}${callSuffix(number)}`,
        alias: type,
        key: callKey(number, name),
        around: keyAround(flow!, row),
      })),
    [flow],
  );
  const show = ({ around, key }: { around: string; key: string }): void => {
    lookInto(store, around, key);
    reveal(key);
  };
  return (
    <div class="toolbar" role="group" aria-label="Modules">
      <div class="button-group">
        <Button testid="module-in" keys="Enter" title="Enter, or a double click" disabled={!canOpen} onClick={() => actions.open(selected)}>
          Look inside
        </Button>
        <Button testid="module-fold" keys="f" title="Key f; again to unfold" disabled={toggleFold === null} onClick={() => toggleFold?.()}>
          {isFolded ? "Unfold" : "Fold"}
        </Button>
        <Button
          testid="module-pin"
          keys="p"
          title="Key p, or drag it onto the panels"
          disabled={actions.togglePin === null}
          onClick={() => actions.togglePin?.()}
        >
          {isPinned ? "Unpin" : "Pin"}
        </Button>
      </div>
      <Button
        testid="module-union"
        keys="u"
        pressed={isUnion}
        title="Show what was called on any step of this type, and how often (key u)"
        onClick={() => store.setView("union", isUnion ? null : UNION)}
      >
        All steps
      </Button>
      <ZoomButtons prefix="module-" view={canvas ?? undefined} />
      <SearchField what="module" items={calls} onFound={show} />
    </div>
  );
}
