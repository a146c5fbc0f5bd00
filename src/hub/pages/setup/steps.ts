/** The steps of the first run, in order; each has an address of its own under /setup. */
export const steps = ['password', 'place', 'zones', 'reader', 'ports', 'check'] as const;
export type Step = (typeof steps)[number];

/** What the steps follow from: all of it is asked of the appliance, so that they can be left and come back to. */
export interface Standing {
  readonly mustChangePassword: boolean;
  readonly organisation: string;
  readonly zones: number;
  readonly readers: number;
  /** Ports of the reader in question that watch a zone. */
  readonly mappedPorts: number;
  /** Whether the reader in question reads tags now. */
  readonly reads: boolean;
}

/** The name that the first start gives; another one shows that somebody has been at this step. */
export const FIRST_ORGANISATION = 'My organisation';

/** Which steps are done. Pure. */
export function doneSteps(standing: Standing): Readonly<Record<Step, boolean>> {
  return {
    password: !standing.mustChangePassword,
    place: standing.organisation !== FIRST_ORGANISATION,
    zones: standing.zones > 0,
    reader: standing.readers > 0,
    ports: standing.mappedPorts > 0,
    check: standing.mappedPorts > 0 && standing.reads,
  };
}

/** The first step that is not done; the last one when all are. Pure. */
export function firstOpen(done: Readonly<Record<Step, boolean>>): Step {
  return steps.find((step) => !done[step]) ?? 'check';
}

/** The step an address names; null for none. Pure. */
export const stepNamed = (text: string): Step | null => steps.find((step) => step === text) ?? null;
