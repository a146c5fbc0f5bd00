/** A member that differs. Absent: it was not there, or is not there any more. Values are text for people. */
export interface Difference {
  readonly member: string;
  readonly before?: string;
  readonly after?: string;
}

const DEPTH_MAX = 4;

// Of something made or gone, members without a value tell nothing.
function isSaid({ before, after }: Difference, isChange: boolean): boolean {
  return before !== after && (isChange || !['', 'null'].includes(before ?? after ?? ''));
}

/** What the `before` and `after` of an audit entry differ in, member by member, those of objects inside with dots. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const old = flat(before);
  const now = flat(after);
  const members = [...new Set([...old.keys(), ...now.keys()])];
  return members
    .map((member) => differenceOf(member, old.get(member), now.get(member)))
    .filter((one) => isSaid(one, before !== undefined && after !== undefined));
}

function differenceOf(member: string, before: string | undefined, after: string | undefined): Difference {
  return { member, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

function flat(value: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  collect(found, '', value);
  return found;
}

function collect(found: Map<string, string>, path: string, value: unknown): void {
  if (value === undefined) return;
  const isDeep = path.split('.').length >= DEPTH_MAX;
  if (isObject(value) && !isDeep && Object.keys(value).length > 0)
    for (const [name, inner] of Object.entries(value)) collect(found, path ? `${path}.${name}` : name, inner);
  else found.set(path, shown(value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return JSON.stringify(value) ?? '';
}
