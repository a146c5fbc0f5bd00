/**
 * Text as searches compare it: what differs in nothing but case is the same, and half a character stands for an unknown
 * one, as it does in UTF-8.
 */
export function fold(text: string): string {
  const folded = foldCase(text);
  // Telling whole characters from halves is slow, and hardly any text has either.
  return ANY_SURROGATE.test(folded) ? folded.replace(LONE_SURROGATE, '\ufffd') : folded;
}

/** The first half of `fold`, for text that becomes UTF-8 anyway. */
export function foldCase(text: string): string {
  const folded = text.toLowerCase();
  // A sigma is lower-cased by where in its word it stands; what is looked for may end where the word goes on.
  return folded.includes('ς') ? folded.replaceAll('ς', 'σ') : folded;
}

const ANY_SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Surrogate}/gu;
