import { describe, expect, it, vi } from "vitest";
import { sortedPlaces } from "../../../src/tabs/tensors/table/sort_order";
import { atOnce, finish, inParts, Task, type Work } from "../../../src/ui/scheduling/time_slices";
import { gathered } from "../../support/values_fixture";

/** Counts up in `steps` steps, of which each takes longer than a slice. */
function* slow(steps: number, clock: { now: number; done: number }): Work<string> {
  for (; clock.done < steps; clock.done++) {
    clock.now += 1000;
    yield;
  }
  return "finished";
}

function withClock<T>(run: (clock: { now: number; done: number }) => Promise<T>): Promise<T> {
  const clock = { now: 0, done: 0 };
  const spy = vi.spyOn(performance, "now").mockImplementation(() => clock.now);
  return run(clock).finally(() => spy.mockRestore());
}

describe("long work", () => {
  it("pauses after every slice, and is finished", async () => {
    await withClock(async (clock) => {
      const task = new Task(slow(4, clock));
      expect(task.result).toBeUndefined();
      let pauses = 0;
      expect(await finish(task, new AbortController().signal, async () => void (pauses += 1))).toBe(true);
      expect([task.result, pauses]).toEqual(["finished", 4]);
    });
  });

  it("goes no further when it is aborted", async () => {
    await withClock(async (clock) => {
      const controller = new AbortController();
      const task = new Task(slow(100, clock));
      const pause = async () => clock.done >= 3 && controller.abort();
      expect(await finish(task, controller.signal, pause as () => Promise<void>)).toBe(false);
      expect([task.result, clock.done]).toEqual([undefined, 3]);
    });
  });

  it("is done at once where it takes less than a slice", async () => {
    await withClock(async () => {
      expect(new Task(sortedPlaces(gathered("F32", [2, 1]), "ascending")).result).toEqual(Uint32Array.of(1, 0));
    });
  });

  it("goes over everything once, in order", () => {
    const covered: [number, number][] = [];
    atOnce(inParts(200_000, (from, to) => covered.push([from, to])));
    expect(covered.length).toBeGreaterThan(1);
    expect(covered.map(([from]) => from)).toEqual([0, ...covered.slice(0, -1).map(([, to]) => to)]);
    expect(covered.at(-1)![1]).toBe(200_000);
  });

  it("that sorts many values stops in between", () => {
    const many = Array.from({ length: 200_000 }, (_, k) => (k * 7919) % 200_000);
    const work = sortedPlaces(gathered("F32", many), "ascending");
    let stops = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) {
      stops += 1;
    }
    expect(stops).toBeGreaterThan(4);
    expect([...step.value].map((place) => many[place])).toEqual(many.map((_, k) => k));
  });

  it("is over when it fails, and says why", async () => {
    function* failing(): Work<number> {
      yield;
      throw new Error("out of range");
    }
    const task = new Task(failing());
    expect(await finish(task, new AbortController().signal, () => Promise.resolve())).toBe(true);
    expect([task.result, task.failure]).toEqual([undefined, { error: new Error("out of range") }]);
  });
});
