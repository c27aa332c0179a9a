/** The text for a trial without recorded steps, which says how to record some. */

export function NoSteps() {
  return (
    <>
      This trial has no recorded steps: a call of a watched module or <code class="mono">with recorder.batch(step, batch_size)</code> begins
      a step, and the schedule decides whether it is recorded.
    </>
  );
}
