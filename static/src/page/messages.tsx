/** Sentences for the person that stay until they are dismissed. */

import type { Store } from "../state/store";
import { Button } from "../ui/controls/button";

export function Messages({ store }: { store: Store }) {
  const refused = store.refused.value;
  return (
    <div class="messages" role="status" aria-live="polite">
      {[...store.messages.value, ...(refused === null ? [] : [refused])].map((message) => (
        <p key={message} class="message" data-testid="message">
          <span>{message}</span>
          <Button label="Dismiss" onClick={() => store.dismiss(message)}>
            {"\u00d7"}
          </Button>
        </p>
      ))}
    </div>
  );
}
