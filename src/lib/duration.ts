const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `90s`, `15m`, `12h`, `30d`, `2w` in milliseconds; null when it is none of these. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,6})([smhdw])$/.exec(text);
  if (!match) return null;
  // The pattern lets only the units above through.
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}
