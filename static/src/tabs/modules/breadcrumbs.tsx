/** The calls around what is looked into, from the outermost one on. */

import type { Store } from "../../state/store";
import { lookInto } from "../../state/tab_options/module_place";
import { Button } from "../../ui/controls/button";
import { nameWithin } from "../../ui/text/module_tree";
import type { Flow } from "./levels/call_graph";
import { callSuffix } from "./levels/call_graph";
import { callKey } from "./levels/keys";
import type { Scene } from "./levels/scene";

interface Crumb {
  key: string;
  label: string;
}

export function Breadcrumbs({ store, scene: { flow, row, openKey }, goUp }: { store: Store; scene: Scene; goUp: (() => void) | null }) {
  const crumbs = [{ key: "", label: "All modules" }, ...(flow === null || row === null ? missing(openKey) : crumbsOf(flow, row))];
  return (
    <nav class="breadcrumbs" aria-label="Path of the module">
      <Button testid="module-up" keys="Backspace" label="Go up" title="Go up (Backspace)" disabled={goUp === null} onClick={() => goUp?.()}>
        {"\u2191"}
      </Button>
      <ol data-testid="breadcrumbs">
        {crumbs.map(({ key, label }, k) => (
          <li key={key}>
            {k === crumbs.length - 1 ? (
              <span aria-current="page">
                <bdi>{label}</bdi>
              </span>
            ) : (
              <Button class="link" onClick={() => lookInto(store, key, crumbs[k + 1]!.key)}>
                <bdi>{label}</bdi>
              </Button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function crumbsOf(flow: Flow, row: number): Crumb[] {
  const crumbs: Crumb[] = [];
  for (let call = flow.calls[row]; call !== undefined; call = flow.calls[call.parent]) {
    const around = flow.calls[call.parent]?.name ?? "";
    crumbs.unshift({ key: callKey(call.number, call.name), label: `${nameWithin(around, call.name)}${callSuffix(call.number)}` });
  }
  return crumbs;
}

/** A call that was not made in this iteration. */
function missing(key: string): Crumb[] {
  const dot = key.indexOf(".");
  return key === "" ? [] : [{ key, label: `${key.slice(dot + 1)}${callSuffix(Number(key.slice(0, dot)) || 0)}` }];
}
