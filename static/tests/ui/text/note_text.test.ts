import { describe, expect, it } from "vitest";
import { piecesOfNote, plainNote, withoutPlaces } from "../../../src/ui/text/note_text";

const kinds = (text: string) => piecesOfNote(text).map(({ kind, content }) => `${kind}:${content}`);

describe("the text of a note", () => {
  it("has bold, code, lines, and links to views", () => {
    expect(piecesOfNote("a **b** `c`\n[d](#v=1&node=f(x)) e")).toEqual([
      { kind: "text", content: "a " },
      { kind: "bold", content: "b" },
      { kind: "text", content: " " },
      { kind: "code", content: "c" },
      { kind: "text", content: "\n" },
      { kind: "link", content: "d", address: "#v=1&node=f(x)" },
      { kind: "text", content: " e" },
    ]);
    expect(plainNote("a **b** `c` [d](#v=1)")).toBe("a b c d");
  });

  it("leads nowhere but to views of the page", () => {
    for (const text of ["[a](https://example.org)", "[a](javascript:alert(1))", "[a](#x)", "[a](data:text/html,x)", "<b>a</b>"]) {
      expect(kinds(text)).toEqual([`text:${text}`]);
    }
    // Somebody's whole address means the view.
    expect(piecesOfNote("[a](file:///home/x/report.html#v=1&tab=about)")[0]).toMatchObject({ kind: "link", address: "#v=1&tab=about" });
    expect(withoutPlaces("[a](file:///home/x/r.html#v=1&tab=about) [b](https://example.org)")).toBe(
      "[a](#v=1&tab=about) [b](https://example.org)",
    );
  });

  it("leaves what is open without an end as it is", () => {
    expect(kinds("2 ** 3 `a\nb` **c\nd**")).toEqual(["text:2 ** 3 `a\nb` **c\nd**"]);
  });

  it("is read at once, however it is made", () => {
    for (const part of ["[", "**", "`", "[a](", "(", "[a](#v=1&(", "**a"]) {
      const text = part.repeat(2000);
      expect(plainNote(text).length).toBeLessThanOrEqual(text.length);
    }
  });
});
