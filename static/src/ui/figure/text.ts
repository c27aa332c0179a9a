/** How long text is in a figure. It is opened elsewhere, with another font: widths are estimates on the safe side. */

/** Parts of the height of the font. */
const WIDE = 1;
const CAPITAL = 0.72;
const NARROW = 0.34;
const USUAL = 0.57;

function widthOf(character: string): number {
  const code = character.codePointAt(0)!;
  if (code >= 0x1100 && code !== 0x2026 && !(code >= 0x2010 && code <= 0x2030)) {
    return WIDE;
  }
  if (/[A-Z@%\u2014]/.test(character)) {
    return CAPITAL;
  }
  return /[ijlt.,:;'|()[\]! ]/.test(character) ? NARROW : USUAL;
}

export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) {
    width += widthOf(character);
  }
  return width * size;
}

/** Text in lines that are no longer than `width`; a word that is too long for a line is broken. */
export function wrapped(text: string, width: number, size: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/[ \t\r\n]+/).flatMap((word) => pieces(word, width, size))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textWidth(longer, size) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return line === "" ? lines : [...lines, line];
}

function pieces(word: string, width: number, size: number): string[] {
  const parts: string[] = [];
  let part = "";
  for (const character of word) {
    if (part !== "" && textWidth(part + character, size) > width) {
      parts.push(part);
      part = "";
    }
    part += character;
  }
  return [...parts, part];
}
