/** The tabs, after the pattern that screen readers know: one stop for the Tab key, arrows between them. */

import { useEffect } from "preact/hooks";
import { shownTabs } from "../state/address/available_tabs";
import type { Tab } from "../state/address/url";
import { findingsOf, problemCount } from "../state/findings/found";
import type { Store } from "../state/store";
import { Button } from "../ui/controls/button";
import { counted } from "../ui/text/format";

export const LABELS: Readonly<Record<Tab, string>> = {
  overview: "Overview",
  tensors: "Tensors",
  modules: "Modules",
  flow: "Flow",
  network: "Network",
  notes: "Notes",
  graphs: "Graphs",
  visualization: "Visualization",
  about: "About",
};

export function TabBar({ store }: { store: Store }) {
  const active = store.tab.value;
  // A narrow window does not have room for all of them.
  useEffect(() => document.getElementById(`tab-${active}`)?.scrollIntoView({ block: "nearest", inline: "nearest" }), [active]);
  const tabs = shownTabs(store.bundle.index);
  const onKeyDown = (event: KeyboardEvent): void => {
    const place = tabs.indexOf(active);
    const target = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const tab = target === undefined ? undefined : tabs[(target + tabs.length) % tabs.length];
    if (tab !== undefined) {
      event.preventDefault();
      store.tab.value = tab;
      document.getElementById(`tab-${tab}`)?.focus();
    }
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={onKeyDown}>
      {tabs.map((tab, place) => (
        <Button
          key={tab}
          id={`tab-${tab}`}
          role="tab"
          testid={`tab-${tab}`}
          data-arrow-keys
          keys={String(place + 1)}
          title={`Key ${place + 1}`}
          aria-selected={tab === active}
          aria-controls={`panel-${tab}`}
          tabIndex={tab === active ? 0 : -1}
          onClick={() => (store.tab.value = tab)}
        >
          {LABELS[tab]}
          {tab === "overview" && <ProblemCount store={store} />}
        </Button>
      ))}
    </div>
  );
}

/** How many likely problems the trial has. */
function ProblemCount({ store }: { store: Store }) {
  const document = findingsOf(store);
  const count = document === null ? 0 : problemCount(document);
  return count === 0 ? null : (
    <span class="tab-count" data-testid="problem-count" role="img" aria-label={counted(count, "problem")}>
      {count}
    </span>
  );
}
