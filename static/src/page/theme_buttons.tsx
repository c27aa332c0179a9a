/** The colours of the page: which of them, and with how much contrast. */

import { chosenTheme, hasHighContrast, nextTheme, toggleContrast } from "../ui/theme";

export function ThemeButtons() {
  return (
    <span class="theme-buttons">
      <button
        type="button"
        class="theme-button"
        aria-keyshortcuts="d"
        data-testid="theme"
        aria-label={`Theme: ${chosenTheme.value}. Change it.`}
        title={`Theme: ${chosenTheme.value}`}
        onClick={nextTheme}
      >
        <span aria-hidden="true">{"\u25d0"}</span> <span class="theme-name">{chosenTheme.value}</span>
      </button>
      <button
        type="button"
        class="theme-button"
        aria-keyshortcuts="h"
        data-testid="contrast"
        aria-label="High contrast"
        aria-pressed={hasHighContrast.value}
        title="High contrast (h)"
        onClick={toggleContrast}
      >
        <span class="contrast-sign" aria-hidden="true">
          {"\u25d1"}
        </span>
      </button>
    </span>
  );
}
