const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g;

interface Level {
  readonly keys: Set<string> | null;
  readonly path: string;
  key: string;
}

/**
 * The dotted path of a member that stands twice in the same object of a JSON text, or null. `JSON.parse` would
 * silently take the last one. `json` must already have been parsed without error.
 */
export function duplicateKey(json: string): string | null {
  const levels: Level[] = [];
  let expectsKey = false;
  for (const [token] of json.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token.startsWith('"') && expectsKey && level?.keys) {
      level.key = join(level.path, String(JSON.parse(token)));
      if (level.keys.has(level.key)) return level.key;
      level.keys.add(level.key);
    }
    if (token === '{') levels.push({ keys: new Set(), path: level?.key ?? '', key: '' });
    if (token === '[') levels.push({ keys: null, path: level?.key ?? '', key: level?.key ?? '' });
    if (token === '}' || token === ']') levels.pop();
    expectsKey = token === '{' || token === ',';
  }
  return null;
}

const join = (path: string, key: string): string => (path ? `${path}.${key}` : key);
