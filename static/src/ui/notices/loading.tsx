/** Takes the place of what is not loaded yet. */

export function Loading() {
  return (
    <p class="empty" role="status">
      {"Loading\u2026"}
    </p>
  );
}
