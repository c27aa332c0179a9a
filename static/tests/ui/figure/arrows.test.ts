import { expect, it } from "vitest";
import { arrowElement, type Point } from "../../../src/ui/figure/arrows";
import { markup } from "../../../src/ui/figure/svg";

type Look = Parameters<typeof arrowElement>[1];

const LOOK: Look = { color: "#123456", width: 2, size: 1, dashes: null };
const drawn = (points: readonly Point[], look: Partial<Look> = {}) => markup(arrowElement(points, { ...LOOK, ...look }));

it("draws a line that ends where the head covers it", () => {
  // The head is 10 long and 8 wide; the line ends 8 before its tip.
  expect(
    drawn([
      [0, 0],
      [100, 0],
    ]),
  ).toBe(
    '<g class="edge"><path d="M0,0L92,0" fill="none" stroke="#123456" stroke-width="2"/>' +
      '<path d="M0,0L-10,4V-4Z" fill="#123456" transform="translate(100 0) rotate(0)"/></g>',
  );
});

it("turns the head to where the line comes from, and makes it as large as asked for", () => {
  const down = drawn(
    [
      [5, 0],
      [5, 50],
    ],
    { size: 2 },
  );
  expect(down).toContain('d="M5,0L5,34"');
  expect(down).toContain('d="M0,0L-20,8V-8Z" fill="#123456" transform="translate(5 50) rotate(90)"');
});

it("bends at the points between, half way from one to the next", () => {
  expect(
    drawn([
      [0, 0],
      [10, 20],
      [30, 20],
      [40, 0],
      [60, 0],
    ]),
  ).toContain('d="M0,0Q10,20 20,20Q30,20 35,10Q40,0 52,0"');
});

it("has round dots, and dashes with straight ends", () => {
  expect(
    drawn(
      [
        [0, 0],
        [9, 0],
      ],
      { dashes: "1 4" },
    ),
  ).toContain('stroke-dasharray="1 4" stroke-linecap="round"');
  expect(
    drawn(
      [
        [0, 0],
        [9, 0],
      ],
      { dashes: "6 3" },
    ),
  ).toContain('stroke-dasharray="6 3" stroke-linecap="butt"');
});
