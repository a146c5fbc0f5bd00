/** How a file's bytes are sent. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** The smallest first: what decides between those a client likes equally. */
export const encodings: readonly Encoding[] = ['br', 'gzip', 'identity'];

/** Not named, plain bytes are still welcome, but less so than anything that is named. */
const UNNAMED_IDENTITY = 0.0001;
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The encoding to send, of those there are, by an Accept-Encoding header (RFC 9110, 12.5.3). `identity` when the client
 * takes none of them: plain bytes are more use than a refusal.
 */
export function bestEncoding(header: string, available: ReadonlySet<Encoding>): Encoding {
  const weights = new Map(header.toLowerCase().split(',').map(weighed));
  const weightOf = (one: Encoding): number =>
    weights.get(one) ?? weights.get('*') ?? (one === 'identity' ? UNNAMED_IDENTITY : 0);
  let best: Encoding = 'identity';
  let most = 0;
  for (const one of encodings) {
    if (!available.has(one) || weightOf(one) <= most) continue;
    best = one;
    most = weightOf(one);
  }
  return best;
}

// What cannot be read is not asked for.
function weighed(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
  const [weight] = parameters;
  return [name, weight === undefined ? 1 : Number(WEIGHT.exec(weight)?.[1] ?? 0)];
}
