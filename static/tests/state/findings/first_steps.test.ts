import { expect, it } from "vitest";
import type { FindingsDocument } from "../../../src/data/format/findings";
import type { Trial } from "../../../src/data/format/types";
import { findingsByFirstStep } from "../../../src/state/findings/first_steps";

const trial = { steps: { step: [0, 10, 20] } } as unknown as Trial;
const finding = (title: string, step: number | null, severity = 2) => ({ title, step, severity });
const document = (...incidents: { cause: unknown; consequences: unknown[] }[]) => ({ incidents }) as unknown as FindingsDocument;

it("puts findings at the step that the bundle has, the most severe first", () => {
  const mild = finding("mild", 10, 1);
  const byPosition = findingsByFirstStep(
    document(
      { cause: mild, consequences: [finding("bug", 10, 3)] },
      { cause: finding("between", 11), consequences: [finding("beyond", 99)] },
      { cause: finding("always", null), consequences: [finding("good to know", 0, 0)] },
    ),
    trial,
  );
  expect([...byPosition].map(([position, findings]) => [position, findings.map(({ title }) => title)])).toEqual([
    [1, ["bug", "mild"]],
    [2, ["between", "beyond"]],
  ]);
});

it("is empty where nothing was checked, and without steps", () => {
  expect(findingsByFirstStep(null, trial).size).toBe(0);
  const none = { steps: { step: [] } } as unknown as Trial;
  expect(findingsByFirstStep(document({ cause: finding("a", 0), consequences: [] }), none).size).toBe(0);
});
