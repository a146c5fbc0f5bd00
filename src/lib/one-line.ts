// Line ends and other controls, what turns the direction of writing around, and halves of characters.
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A text from people as one line that can stand anywhere: without controls and runs of blanks, at most `max` characters, `…` where it was cut. */
export function oneLine(text: string, max: number): string {
  const line = text.replace(UNFIT, ' ').replace(/ +/g, ' ').trim();
  if (line.length <= max) return line;
  // A character of two halves is not cut in the middle.
  return `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
