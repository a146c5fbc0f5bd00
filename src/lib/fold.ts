/**
 * Text as searches compare it: what differs in nothing but case is the same, and half a character stands for an unknown
 * one, as it does in UTF-8.
 */
export function fold(text: string): string {
  return foldCase(text).replace(LONE_SURROGATE, '\ufffd');
}

/** The first half of `fold`, for text that becomes UTF-8 anyway. */
export function foldCase(text: string): string {
  const folded = text.toLowerCase();
  // A sigma is lower-cased by where in its word it stands; what is looked for may end where the word goes on.
  return folded.includes('ς') ? folded.replaceAll('ς', 'σ') : folded;
}

const LONE_SURROGATE = /\p{Surrogate}/gu;
