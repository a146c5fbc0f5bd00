/** What a read can change about a tag. Times are epoch ms; NaN = not yet (a tag made by hand, never read or never placed). */
export interface TagState {
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** 0 = never placed. */
  readonly zoneNo: number;
  readonly zoneSince: number;
  /** Last read at an antenna of its current zone: what presence goes by. */
  readonly zoneSeenAt: number;
  /** Antenna of the newest read (`antennaNo`), 0 = none. */
  readonly antennaNo: number;
}

export const neverSeen: TagState = {
  firstSeenAt: Number.NaN,
  lastSeenAt: Number.NaN,
  zoneNo: 0,
  zoneSince: Number.NaN,
  zoneSeenAt: Number.NaN,
  antennaNo: 0,
};

/** A stay of a tag at one antenna: reads with no gap longer than the presence window, all in one zone. */
export interface Visit {
  readonly antennaNo: number;
  /** 0 = the port was unmapped. */
  readonly zoneNo: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly reads: number;
}

/** A reader's port as one number: readers are numbered from 1, port 0 stands for "the reader did not say". */
export function antennaNoOf(readerNo: number, port: number): number {
  return readerNo * 8 + port;
}

export function readerNoOf(antennaNo: number): number {
  return Math.floor(antennaNo / 8);
}

export function portOf(antennaNo: number): number {
  return antennaNo % 8;
}
