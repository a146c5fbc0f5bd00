/** One read of a tag by a reader, as decoded from a payload: nothing in it has been trusted yet but its form. */
export interface TagRead {
  /** Upper-case hexadecimal, 8 to 64 digits. */
  readonly epc: string;
  /** 1 to 4; null when the reader did not say (then the read counts for last seen and places nothing). */
  readonly antennaPort: number | null;
  /** Hundredths of a dBm, null when unknown. */
  readonly rssiCdbm: number | null;
  /** The reader's own time, epoch milliseconds with microseconds as the fraction; null when it gave none. */
  readonly readerAt: number | null;
  /** How many reads the message itself stands for, at least 1. */
  readonly count: number;
}
