/** What is said of a trial without recorded steps, and how there come to be some. */

export function NoSteps() {
  return (
    <>
      This trial has no recorded steps: <code class="mono">with recorder.batch(step, batch_size)</code> begins a step, and the schedule
      decides whether it is recorded.
    </>
  );
}
