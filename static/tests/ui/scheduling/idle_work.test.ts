import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { whenIdle } from "../../../src/ui/scheduling/idle_work";
import type { Work } from "../../../src/ui/scheduling/time_slices";

/** Idle callbacks that wait for their turn, and the clock. */
const idle: (() => void)[] = [];
let now = 0;
let target: EventTarget;

beforeEach(() => {
  vi.useFakeTimers();
  idle.length = 0;
  target = new EventTarget();
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.stubGlobal(
    "window",
    Object.assign(target, {
      requestIdleCallback: (act: () => void) => idle.push(act),
      cancelIdleCallback: (id: number) => (idle[id - 1] = () => undefined),
    }),
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Every piece takes three milliseconds. */
function* pieces(count: number, done: number[]): Work<void> {
  for (let k = 0; k < count; k++) {
    now += 3;
    done.push(k);
    yield;
  }
}

function nextIdle(): void {
  idle.splice(0).forEach((act) => act());
}

it("works in slices, and is over when all is done", () => {
  const done: number[] = [];
  whenIdle(pieces(5, done));
  expect(done).toEqual([]);
  nextIdle();
  expect(done).toEqual([0, 1]);
  nextIdle();
  nextIdle();
  nextIdle();
  expect(done).toEqual([0, 1, 2, 3, 4]);
  nextIdle();
  expect(idle).toEqual([]);
  target.dispatchEvent(new Event("keydown"));
  vi.runAllTimers();
  expect(idle).toEqual([]);
});

it.each(["keydown", "pointerdown", "wheel"])("is put off by %s, and goes on when it is quiet again", (name) => {
  const done: number[] = [];
  whenIdle(pieces(9, done));
  target.dispatchEvent(new Event(name));
  nextIdle();
  expect(done).toEqual([]);
  vi.advanceTimersByTime(200);
  target.dispatchEvent(new Event(name));
  vi.advanceTimersByTime(200);
  nextIdle();
  expect(done).toEqual([]);
  vi.advanceTimersByTime(200);
  nextIdle();
  expect(done).toEqual([0, 1]);
});

it("goes no further when it is given up", () => {
  const done: number[] = [];
  const giveUp = whenIdle(pieces(9, done));
  nextIdle();
  giveUp();
  target.dispatchEvent(new Event("keydown"));
  vi.runAllTimers();
  nextIdle();
  expect(done).toEqual([0, 1]);
});

it("does without idle callbacks", () => {
  vi.stubGlobal("window", new EventTarget());
  const done: number[] = [];
  whenIdle(pieces(5, done));
  vi.runAllTimers();
  expect(done).toEqual([0, 1, 2, 3, 4]);
});
