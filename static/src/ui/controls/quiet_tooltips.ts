/** Esc hides what the pointer shows. */

/** Hides it until the pointer moves on. Returns whether there was something. */
export function quietTooltips(): boolean {
  const { dataset } = document.documentElement;
  const isShown = [...document.querySelectorAll(".hint-text, .graph-tooltip, .timeline-hint")].some((tooltip) => tooltip.checkVisibility());
  if (isShown) {
    dataset.quiet = "";
    document.addEventListener("pointermove", () => delete dataset.quiet, { once: true });
  }
  return isShown;
}
