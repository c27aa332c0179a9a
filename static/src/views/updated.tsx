/** Says for a few seconds that newer data is shown. */

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
  return <span class="updated" role="status" aria-live="polite" data-testid="updated">{at > said ? "Updated just now" : ""}</span>;
}
