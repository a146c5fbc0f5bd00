/** Whether a text is an EPC: 8 to 64 hexadecimal digits, in any case. */
export const isEpc = (text: string): boolean => /^[0-9A-Fa-f]{8,64}$/.test(text.trim());
