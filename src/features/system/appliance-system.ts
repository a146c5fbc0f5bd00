import type { BackupsAnswer, ConfigurationEntry, DoctorAnswer, SystemHealth } from '../../contract/system.ts';
import type { Store } from '../../store/store.ts';

/** What the appliance tells of itself. */
export interface ApplianceSystem {
  health(): Promise<SystemHealth>;
  /** Throws the refusal `unavailable` when the doctor came to nothing. */
  doctor(): Promise<DoctorAnswer>;
  configuration(): readonly ConfigurationEntry[];
  readonly backups: {
    /** Whether there is a folder to write backups to. */
    readonly hasFolder: boolean;
    isRunning(): boolean;
    tell(): Promise<BackupsAnswer>;
    /** Begins one beside, unless one runs. */
    begin(): void;
  };
}

export interface SystemRoutesOptions {
  readonly store: Store;
  readonly system: ApplianceSystem;
  /** Epoch ms. */
  readonly now: () => number;
}
