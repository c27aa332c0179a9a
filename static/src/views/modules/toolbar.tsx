/** The buttons of the modules: to look into one, to fold, to pin, for the view; and a field to find a module. */

import { useMemo, useState } from "preact/hooks";
import { lookInto } from "../../state/module_place";
import type { Store } from "../../state/store";
import { pinnedModules } from "../../state/module_pins";
import type { ModuleCanvas } from "./canvas";
import type { DrawnLevel } from "./drawing";
import { callKey } from "./level";
import type { Actions } from "./level_view";
import { keyAround, UNION, type Scene } from "./scene";
import { callSuffix } from "./shown";

const ZOOM_STEP = 1.3;

/** Suggestions that are offered at most while a name is being typed. */
const SUGGESTIONS = 50;

interface Props {
  store: Store;
  scene: Scene;
  drawn: DrawnLevel | null;
  selected: number;
  canvas: ModuleCanvas | null;
  actions: Actions;
}

export function ModuleToolbar({ store, scene, drawn, selected, canvas, actions }: Props) {
  const item = drawn?.items[selected];
  const isUnion = store.view.value.get("union") === UNION;
  const canOpen = item !== undefined && (item.kind !== "single" || item.node.hasCalls);
  const isPinned = item !== undefined && pinnedModules(store).includes(item.node.module);
  return (
    <div class="toolbar" role="group" aria-label="Modules">
      <div class="button-group">
        <button type="button" data-testid="module-in" aria-keyshortcuts="Enter" title="Enter, or a double click" disabled={!canOpen} onClick={() => actions.open(selected)}>{item !== undefined && item.kind !== "single" ? "Unfold" : "Look inside"}</button>
        <button type="button" data-testid="module-fold" aria-keyshortcuts="f" title="Key f" disabled={actions.foldAgain === null} onClick={() => actions.foldAgain?.()}>Fold</button>
        <button type="button" data-testid="module-pin" aria-keyshortcuts="p" title="Key p, or drag it onto the panels" disabled={actions.togglePin === null} onClick={() => actions.togglePin?.()}>{isPinned ? "Unpin" : "Pin"}</button>
      </div>
      <button type="button" data-testid="module-union" aria-keyshortcuts="u" aria-pressed={isUnion} title="What was called on any step of this type, and how often (key u)" onClick={() => store.setView("union", isUnion ? null : UNION)}>All steps</button>
      <div class="button-group">
        <button type="button" data-testid="module-zoom-out" aria-keyshortcuts="-" aria-label="Zoom out" title="Key -" onClick={() => canvas?.zoomBy(1 / ZOOM_STEP)}>{"\u2212"}</button>
        <button type="button" data-testid="module-zoom-in" aria-keyshortcuts="+" aria-label="Zoom in" title="Key +" onClick={() => canvas?.zoomBy(ZOOM_STEP)}>+</button>
        <button type="button" data-testid="module-fit" aria-keyshortcuts="0" title="Key 0" onClick={() => canvas?.fit()}>Fit</button>
      </div>
      <ModuleSearch store={store} scene={scene} />
    </div>
  );
}

interface Found {
  name: string;
  key: string;
  around: string;
}

function ModuleSearch({ store, scene: { flow } }: { store: Store; scene: Scene }) {
  const [text, setText] = useState("");
  const calls = useMemo(
    () => (flow?.calls ?? []).map(({ name, number }, row): Found => ({ name: `${name}${callSuffix(number)}`, key: callKey(number, name), around: keyAround(flow!, row) })),
    [flow],
  );
  const wanted = text.trim().toLowerCase();
  const matches = wanted === "" ? [] : calls.filter(({ name }) => name.toLowerCase().includes(wanted));
  const choose = (typed: string): void => {
    const found = calls.find(({ name }) => name === typed.trim()) ?? matches[0];
    if (found !== undefined) {
      lookInto(store, found.around, found.key);
      setText("");
    }
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        choose(text);
        // From here on the arrow keys walk over the graph.
        event.currentTarget.querySelector("input")?.blur();
      }}
    >
      <input
        type="text"
        list="module-names"
        data-testid="module-search"
        aria-keyshortcuts="/"
        aria-label="Find a module by name"
        placeholder="Find a module (/)"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          // A suggestion that is picked replaces what was typed.
          if (event.inputType === "insertReplacementText") {
            choose(event.currentTarget.value);
          }
        }}
      />
      <datalist id="module-names">
        {matches.slice(0, SUGGESTIONS).map(({ key, name }) => <option key={key} value={name} />)}
      </datalist>
      <span class="search-count" aria-live="polite">{wanted !== "" && (matches.length === 0 ? "no match" : `${matches.length} found`)}</span>
    </form>
  );
}
