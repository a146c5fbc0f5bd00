/** What a call to the reader's local REST interface came to. */
export type LocalAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  /**
   * Nobody there, too slow, broken off, or too busy (408, 429, 5xx): worth another try. `failing`: somebody is there, and does
   * not manage; that is not tried for ever.
   */
  | { readonly kind: 'away'; readonly reason: string; readonly failing?: true };

/** The calls that starting, stopping and configuring a reader takes. None of them rejects. */
export interface LocalReader {
  /** GET /status */
  status(): Promise<LocalAnswer>;
  /** POST /profiles/inventory/presets/{preset}/start */
  start(preset: string): Promise<LocalAnswer>;
  /** POST /profiles/stop */
  stop(): Promise<LocalAnswer>;
  /** GET /profiles/inventory/presets-schema */
  schema(): Promise<LocalAnswer>;
  /** GET /profiles/inventory/presets/{id} */
  preset(id: string): Promise<LocalAnswer>;
  /** PUT /profiles/inventory/presets/{id} */
  putPreset(id: string, preset: object): Promise<LocalAnswer>;
}

/** What the radio does, as GET /status tells it; `preset` null when it is idle or runs one without a name. */
export interface RadioStatus {
  /** `idle`, `running`, `armed`, `starting`, `stopping`, or whatever else the firmware says. */
  readonly status: string;
  readonly preset: string | null;
}

const WORDS_MAX_LENGTH = 300;

/** A JSON object of the reader's; anything else has no members. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // Members of a parsed JSON object are what they are: unknown.
  return isObject ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Whether the reader did it. */
export function isDone(answer: LocalAnswer): boolean {
  return answer.kind === 'answer' && answer.status >= 200 && answer.status < 300;
}

/** What GET /status said of the radio. */
export function radioStatusOf(body: unknown): RadioStatus {
  const { status, activePreset } = membersOf(body);
  const { id } = membersOf(activePreset);
  return {
    status: typeof status === 'string' ? status : 'unknown',
    preset: typeof id === 'string' ? id : null,
  };
}

/** Why the reader refused, in its own words where it has any: one line of at most 300 characters. */
export function refusalOf({ status, body }: { readonly status: number; readonly body: unknown }): string {
  if (status === 401 || status === 403) return 'permission denied (wrong reader REST credentials)';
  const { message, detail } = membersOf(body);
  const words = [message, detail].filter((text) => typeof text === 'string' && text !== '').join(': ');
  return words === '' ? `the reader answers HTTP ${status}` : oneLine(words);
}

/** Text of somebody else's as one line of at most 300 characters. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, WORDS_MAX_LENGTH)
    .replace(/[\uD800-\uDBFF]$/, '');
}
