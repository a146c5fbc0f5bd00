/** What people tell a reader to do. */
export const radioCommandKinds = ['start', 'stop'] as const;

/** What a reader can be told: `push-config` carries its antenna settings. */
export const commandKinds = [...radioCommandKinds, 'push-config'] as const;
export type CommandKind = (typeof commandKinds)[number];

/**
 * Commands of one lane replace each other, those of different lanes do not: newer settings are no answer to a start. What the
 * radio is to do stays in the broker for a reader that comes back; settings do not.
 */
export const commandLanes = ['settings', 'radio'] as const;
export type CommandLane = (typeof commandLanes)[number];

/** The lane of a command. */
export function laneOf(kind: CommandKind): CommandLane {
  return kind === 'push-config' ? 'settings' : 'radio';
}

/** The contract's "Reader command state". */
export const commandStates = ['pending', 'published', 'applied', 'failed', 'superseded'] as const;
export type CommandState = (typeof commandStates)[number];

/** As it is kept: a command that failed because nobody answered may still turn out to have been applied. */
export const commandStandings = [...commandStates, 'timed-out'] as const;
export type CommandStanding = (typeof commandStandings)[number];

/** What can happen to a command. `publish`: the broker has stored it; `supersede`: a newer one was made. */
export const commandEvents = ['publish', 'ack-ok', 'ack-failed', 'timeout', 'supersede'] as const;
export type CommandEvent = (typeof commandEvents)[number];

type Transitions = Readonly<Record<CommandEvent, CommandStanding | null>>;

const settled: Transitions = {
  publish: null,
  'ack-ok': null,
  'ack-failed': null,
  timeout: null,
  supersede: null,
};

/** Every standing by every event; null = nothing changes. */
const transitions: Readonly<Record<CommandStanding, Transitions>> = {
  pending: {
    publish: 'published',
    // The agent may answer before the broker has said that it stored the command.
    'ack-ok': 'applied',
    'ack-failed': 'failed',
    timeout: 'timed-out',
    supersede: 'superseded',
  },
  published: {
    publish: null,
    'ack-ok': 'applied',
    'ack-failed': 'failed',
    timeout: 'timed-out',
    supersede: 'superseded',
  },
  applied: settled,
  failed: settled,
  superseded: settled,
  'timed-out': { ...settled, 'ack-ok': 'applied' },
};

/** Where an event brings a command; null: it stays where it is. Pure. */
export function commandStep(standing: CommandStanding, event: CommandEvent): CommandStanding | null {
  return transitions[standing][event];
}

/** The contract's state of a standing: nobody's answer is a failure, with the error `timeout`. */
export function commandStateOf(standing: CommandStanding): CommandState {
  return standing === 'timed-out' ? 'failed' : standing;
}

/** Whether a command still waits for its answer: it can be superseded, and time runs against it. */
export function isUnsettled(standing: CommandStanding): boolean {
  return standing === 'pending' || standing === 'published';
}

/** Whether an acknowledgement can still change something. */
export function isAnswerable(standing: CommandStanding): boolean {
  return commandStep(standing, 'ack-ok') !== null;
}

/** How long a command may wait for its answer. Times are epoch ms, the span ms. */
export interface AnswerWait {
  /** When the broker stored the command; null = not yet. */
  readonly publishedAt: number | null;
  readonly createdAt: number;
  readonly timeoutMs: number;
}

/**
 * Whether a command waits too long (interface: 30 s). A clock that was set back by more than that counts too: otherwise the
 * command would wait until it is that late again, and an answer that still comes is heard after all.
 */
export function isAnswerOverdue({ publishedAt, createdAt, timeoutMs }: AnswerWait, now: number): boolean {
  return Math.abs(now - (publishedAt ?? createdAt)) >= timeoutMs;
}

/** The preset the service starts readers with, always by name: a reader then starts by itself after a power cut. */
export const defaultPreset = 'svc-default';

/** How many commands of a lane of a reader are kept, and how many of a reader are listed: the newest. */
export const commandsKept = 50;
