/** What was looked for is drawn alone, even if it would be folded with others. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { writeNames } from "../../state/address/name_list";
import type { Store } from "../../state/store";
import { wantedModule } from "../../state/tab_options/module_place";
import type { DrawnLevel } from "./drawing/level_drawing";
import { unfoldedAround } from "./levels/folding";
import { callKey } from "./levels/keys";

interface Target {
  key: string;
}

/** Unfolds once, as soon as its level is drawn, what holds the node that an address or a search names. Returns what a search is to call. */
export function useRevealing(store: Store, drawn: DrawnLevel | null, unfolded: readonly string[]): (key: string) => void {
  const [searched, setSearched] = useState<Target | null>(null);
  const name = wantedModule(store.view.value.get("module") ?? "");
  const wanted = useMemo((): Target | null => (name === null ? null : { key: callKey(0, name) }), [name]);
  const target = wanted ?? searched;
  const done = useRef<Target | null>(null);
  useEffect(() => {
    const node = target === null || target === done.current ? -1 : (drawn?.level.nodes.findIndex(({ key }) => key === target.key) ?? -1);
    if (node >= 0) {
      done.current = target;
      const more = unfoldedAround(drawn!.level.nodes, drawn!.level.edges, unfolded, node);
      if (more.length > unfolded.length) {
        store.adjustView("unfold", writeNames(more));
      }
    }
  }, [drawn, target]);
  return (key) => setSearched({ key });
}
