/** The colours of the page: which of them, and with how much contrast. */

import { Button } from "../ui/controls/button";
import { chosenTheme, hasHighContrast, nextTheme, toggleContrast } from "../ui/theme";

export function ThemeButtons() {
  return (
    <>
      <Button
        keys="d"
        testid="theme"
        label={`Theme: ${chosenTheme.value}. Change it.`}
        title={`Theme: ${chosenTheme.value}`}
        onClick={nextTheme}
      >
        <span aria-hidden="true">{"\u25d0"}</span> Theme: {chosenTheme.value}
      </Button>
      <Button
        keys="h"
        testid="contrast"
        label="High contrast"
        pressed={hasHighContrast.value}
        title="High contrast (h)"
        onClick={toggleContrast}
      >
        <span aria-hidden="true">{"\u25d1"}</span> High contrast
      </Button>
    </>
  );
}
