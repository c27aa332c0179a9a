/** Takes the place of a drawing that failed. */

export function ErrorReport({ what, error }: { what: string; error: string }) {
  return (
    <div class="failure" role="alert" data-testid="visualization-error">
      <p>{what}. The rest of the page is not affected.</p>
      <pre>{error}</pre>
    </div>
  );
}
