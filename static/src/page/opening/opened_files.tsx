/** Says that files are shown in the place of the page's own data, and leads back to that. */

import { messageOf } from "../../data/format/errors";
import { goBackToOwn } from "../../state/loading/own_data";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { counted } from "../../ui/text/format";
import { Updated } from "../update_notice";

export function OpenedFiles({ store }: { store: Store }) {
  const [first, ...others] = store.files.value;
  const goBack = async (): Promise<void> => {
    try {
      await goBackToOwn(store);
      // The button that had the focus is gone.
      document.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus();
    } catch (error) {
      store.tell(`The page\u2019s own data can no longer be read. Reload the page. (${messageOf(error)})`);
    }
  };
  return (
    <div class="opened-files" role="status" aria-live="polite">
      {first !== undefined && (
        <p class="message" data-testid="opened-files">
          <span title={[first, ...others].join(", ")}>
            Opened in this page: <bdi>{`\u201c${first}\u201d`}</bdi>
            {others.length > 0 && ` and ${counted(others.length, "more file")}`}
          </span>
          <span class="message-actions">
            <Updated store={store} />
            <Button testid="own-data" onClick={() => void goBack()}>
              Back to the page{"\u2019"}s own data
            </Button>
          </span>
        </p>
      )}
    </div>
  );
}
