import type { Preset } from '../contract/preset.ts';

/** A command of the service's, checked; `preset` of a start is always named, `no` null where the service gives none. */
export type AgentCommand = { readonly id: string; readonly no: number | null } & (
  | { readonly kind: 'start'; readonly preset: string }
  | { readonly kind: 'stop' }
  | { readonly kind: 'push-config'; readonly preset: Preset }
);

/** What goes out on `command-response`. */
export interface Ack {
  readonly id: string;
  readonly ok: boolean;
  /** One line of at most 300 characters when not ok. */
  readonly error: string | null;
  /** `started`, `stopped` or `configured` when ok. */
  readonly status: string | null;
}

/** What a message on the commands topic is. `refused`: to be answered, its id can be read; `dropped`: nobody to answer. */
export type DecodedCommand =
  | { readonly kind: 'command'; readonly command: AgentCommand }
  | { readonly kind: 'refused'; readonly id: string; readonly reason: string }
  | { readonly kind: 'dropped'; readonly reason: string };
