/** Says for a few seconds that newer data is shown: where there is room for it, so that it covers nothing. */

import { useEffect, useState } from "preact/hooks";
import type { Store } from "../state/store";

const SAID_MILLISECONDS = 5000;

export function Updated({ store }: { store: Store }) {
  const at = store.updated.value;
  const [said, setSaid] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setSaid(at), SAID_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [at]);
  return (
    <span class="updated" role="status" aria-live="polite" data-testid="updated">
      {at > said ? "Updated just now" : ""}
    </span>
  );
}

/** At the foot of a page that takes newer data in by itself. */
export function LiveFoot({ store }: { store: Store }) {
  return !store.isLive || store.files.value.length > 0 ? null : (
    <footer class="live-foot" data-testid="live-foot">
      <span class="soft">New data appears as it arrives.</span>
      <Updated store={store} />
    </footer>
  );
}
