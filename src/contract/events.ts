/** What the live stream carries: the SSE event name and its data, as interface.md, "Event stream", has them. */
export interface TagReadEvent {
  readonly epc: string;
  readonly tagId: string;
  readonly label?: string | undefined;
  readonly attrs?: Readonly<Record<string, unknown>> | undefined;
  readonly readerId: string;
  readonly antennaPort: number;
  readonly zoneId?: string;
  readonly zoneName?: string;
  /** Smoothed average, hundredths of a dBm; absent while the reader reports no signal strength. */
  readonly rssiCdbm?: number;
  readonly lastSeen: string;
  readonly readCount: number;
}

export interface TagMovedEvent {
  readonly tagId: string;
  readonly epc: string;
  readonly label?: string | undefined;
  readonly fromZoneId?: string;
  readonly toZoneId: string;
  readonly zoneName: string;
  readonly at: string;
}

/** Marks the start or end of a stretch of presence on one antenna (internal: clients ignore it). */
export interface SessionEvent {
  readonly tagId: string;
  readonly epc: string;
  readonly readerId: string;
  readonly antennaPort: number;
  readonly at: string;
  readonly readCount: number;
}

export type LiveEvent =
  | { readonly type: 'tag_read'; readonly data: TagReadEvent }
  | { readonly type: 'tag_moved'; readonly data: TagMovedEvent }
  | { readonly type: 'session_started' | 'session_ended'; readonly data: SessionEvent };
