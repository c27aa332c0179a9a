/** Long work in slices, between which the page answers to the person. */

import { useEffect, useMemo, useState } from "preact/hooks";

/** Work that may be interrupted wherever it yields. */
export type Work<T> = Generator<void, T, void>;

const SLICE_MILLISECONDS = 12;

/** Values that are worked on without a pause: this takes far less than a slice. */
const AT_A_TIME = 1 << 16;

/** Goes from 0 to `count`, some at a time. */
export function* inParts(count: number, work: (from: number, to: number) => void): Work<void> {
  for (let from = 0; from < count; from += AT_A_TIME) {
    work(from, Math.min(count, from + AT_A_TIME));
    yield;
  }
}

/** Does all of it at once. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) {
      return step.value;
    }
  }
}

/** Work that has begun. Little work is done when it has begun. */
export class Task<T> {
  /** Undefined until it is done. */
  result: T | undefined;
  /** What ended it before it was done. */
  failure: { error: unknown } | undefined;

  constructor(private readonly work: Work<T>) {
    this.run();
  }

  /** Works until it is over or time for a pause. */
  run(): void {
    const end = performance.now() + SLICE_MILLISECONDS;
    try {
      do {
        const step = this.work.next();
        if (step.done === true) {
          this.result = step.value;
          return;
        }
      } while (performance.now() < end);
    } catch (error) {
      this.failure = { error };
    }
  }

  get isOver(): boolean {
    return this.result !== undefined || this.failure !== undefined;
  }
}

/** Goes on with a task, with pauses, until it is over or aborted; says whether it is over. */
export async function finish<T>(task: Task<T>, signal: AbortSignal, pause: () => Promise<void> = nextTask): Promise<boolean> {
  while (!task.isOver) {
    await pause();
    if (signal.aborted) {
      return false;
    }
    task.run();
  }
  return true;
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** The result of some work, null until it is there. New inputs cancel work on others. Rethrows what the work threw. */
export function useSliced<T>(begin: (() => Work<T>) | null, inputs: readonly unknown[]): T | null {
  const task = useMemo(() => (begin === null ? null : new Task(begin())), inputs);
  const [, setDone] = useState(0);
  useEffect(() => {
    if (task === null || task.isOver) {
      return undefined;
    }
    const controller = new AbortController();
    void finish(task, controller.signal).then((isOver) => isOver && setDone((before) => before + 1));
    return () => controller.abort();
  }, [task]);
  if (task?.failure !== undefined) {
    throw task.failure.error;
  }
  return task?.result ?? null;
}
