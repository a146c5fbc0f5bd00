const EPC = /^[0-9A-F]{8,64}$/;

/** The EPC somebody typed, in upper case and without the blanks and hyphens that labels are printed with; null: it is none. */
export function epcOf(typed: string): string | null {
  const bare = typed.replaceAll(/[\s\-:]/g, '').toUpperCase();
  return EPC.test(bare) ? bare : null;
}

/** The address of a tag's drawer. */
export const tagHref = (epc: string): string => `/tags/${encodeURIComponent(epc)}`;

/** The address when it is one a browser may go to (http or https); null otherwise. */
export function safeUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}
