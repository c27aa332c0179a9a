/** The tabs, after the pattern that screen readers know: one stop for the Tab key, arrows between them. */

import type { Store } from "../state/store";
import { TABS, type Tab } from "../state/url";

const LABELS: Readonly<Record<Tab, string>> = { tensors: "Tensors", network: "Network", notes: "Notes", graphs: "Graphs", about: "About" };

export function TabBar({ store }: { store: Store }) {
  const active = store.tab.value;
  const onKeyDown = (event: KeyboardEvent): void => {
    const place = TABS.indexOf(active);
    const target = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: TABS.length - 1 }[event.key];
    const tab = target === undefined ? undefined : TABS[(target + TABS.length) % TABS.length];
    if (tab !== undefined) {
      event.preventDefault();
      store.tab.value = tab;
      document.getElementById(`tab-${tab}`)?.focus();
    }
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={onKeyDown}>
      {TABS.map((tab, place) => (
        <button
          type="button"
          key={tab}
          id={`tab-${tab}`}
          role="tab"
          data-testid={`tab-${tab}`}
          data-arrow-keys
          aria-keyshortcuts={String(place + 1)}
          title={`Key ${place + 1}`}
          aria-selected={tab === active}
          aria-controls={`panel-${tab}`}
          tabIndex={tab === active ? 0 : -1}
          onClick={() => (store.tab.value = tab)}
        >
          {LABELS[tab]}
        </button>
      ))}
    </div>
  );
}
