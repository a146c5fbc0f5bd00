import type { Reader } from '../../../contract/reader.ts';

/** What every step is given. */
export interface StepProps {
  /** The reader in question; null while there is none. */
  readonly reader: Reader | null;
  readonly isDone: boolean;
  /** Goes to the step after, about this reader if one is named. */
  readonly next: (readerId?: string) => void;
}
