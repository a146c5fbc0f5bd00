import { defaultPreset, type Preset } from '../contract/preset.ts';
import type { AgentCommand, DecodedCommand } from './agent-command.ts';
import { membersOf, oneLine } from './local-reader.ts';

const MESSAGE_MAX_BYTES = 64 * 1024;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** As readers name presets; `.` and `..` would be another path. */
const PRESET_NAME = /^(?!\.{1,2}$)[a-zA-Z0-9_.-]{1,128}$/;
const PORTS_MAX = 255;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a message of the commands topic (interface: "Reader command channel"); by hand, so that no schema library has to be on
 * the reader. Never throws, whatever the bytes. Unknown members are ignored.
 */
export function decodeCommand(payload: Uint8Array): DecodedCommand {
  if (payload.length > MESSAGE_MAX_BYTES)
    return dropped(`a command of ${payload.length} bytes; 65536 are allowed`);
  const message = parseMessage(payload);
  if (message === null) return dropped('a command that is no JSON object');
  const { kind, id, no, preset } = membersOf(message);
  const folded = typeof id === 'string' ? id.toLowerCase() : '';
  if (!ID.test(folded)) return dropped('a command without a usable id');
  const numbered = { id: folded, no: typeof no === 'number' && Number.isSafeInteger(no) ? no : null };
  return ofKind(kind, numbered, preset);
}

type Numbered = Pick<AgentCommand, 'id' | 'no'>;

function ofKind(kind: unknown, numbered: Numbered, preset: unknown): DecodedCommand {
  if (kind === 'stop') return { kind: 'command', command: { kind, ...numbered } };
  if (kind === 'start') return startOf(numbered, preset ?? defaultPreset);
  if (kind === 'push-config') return settingsOf(numbered, preset);
  const said = typeof kind === 'string' ? `"${oneLine(kind).slice(0, 40)}"` : 'missing';
  return { kind: 'refused', id: numbered.id, reason: `unknown command: kind is ${said}` };
}

function startOf(numbered: Numbered, preset: unknown): DecodedCommand {
  if (typeof preset !== 'string' || !PRESET_NAME.test(preset)) {
    const reason = 'preset must be the name of a preset (1 to 128 of a-z A-Z 0-9 _ . -)';
    return { kind: 'refused', id: numbered.id, reason };
  }
  return { kind: 'command', command: { kind: 'start', ...numbered, preset } };
}

function settingsOf(numbered: Numbered, preset: unknown): DecodedCommand {
  const { antennaConfigs } = membersOf(preset);
  const isList = Array.isArray(antennaConfigs) && antennaConfigs.length > 0;
  if (!isList || antennaConfigs.length > PORTS_MAX || !antennaConfigs.every(hasPort)) {
    const reason = 'preset must be a whole preset with at least one antenna';
    return { kind: 'refused', id: numbered.id, reason };
  }
  // Looked at as far as the agent has to understand it; the reader checks the rest and says what is wrong.
  return { kind: 'command', command: { kind: 'push-config', ...numbered, preset: preset as Preset } };
}

function hasPort(antenna: unknown): boolean {
  return Number.isInteger(membersOf(antenna).antennaPort);
}

function parseMessage(payload: Uint8Array): object | null {
  try {
    const value: unknown = JSON.parse(utf8.decode(payload));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function dropped(reason: string): DecodedCommand {
  return { kind: 'dropped', reason };
}
