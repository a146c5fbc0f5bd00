import type { AgentCommand } from './agent-command.ts';

/** Something to do at the reader. `reconcile` brings about what was last asked for; nobody waits for its answer. */
export type Job =
  | { readonly lane: 'radio'; readonly command: Extract<AgentCommand, { kind: 'start' | 'stop' }> }
  | { readonly lane: 'settings'; readonly command: Extract<AgentCommand, { kind: 'push-config' }> }
  | { readonly lane: 'reconcile' };
export type Lane = Job['lane'];

/** The job that carries a command out. */
export function jobOf(command: AgentCommand): Job {
  return command.kind === 'push-config' ? { lane: 'settings', command } : { lane: 'radio', command };
}

/**
 * Jobs in the order in which they came, at most one of each lane: a newer one makes the older that still waits pointless, as
 * the service has superseded it. So it never holds more than three.
 */
export class JobQueue {
  #waiting: readonly Job[] = [];

  has(lane: Lane): boolean {
    return this.#waiting.some((job) => job.lane === lane);
  }

  holds(id: string): boolean {
    return this.#waiting.some((job) => idOf(job) === id);
  }

  push(job: Job): void {
    this.#waiting = [...this.#waiting.filter(({ lane }) => lane !== job.lane), job];
  }

  /** Puts a job back that could not be done yet, behind the others; a newer one of its lane has taken its place. */
  putBack(job: Job): void {
    if (!this.has(job.lane)) this.push(job);
  }

  take(): Job | undefined {
    const [first, ...others] = this.#waiting;
    this.#waiting = others;
    return first;
  }
}

/** The id of the job's command; none of a reconciliation. */
export function idOf(job: Job | undefined): string | null {
  return job === undefined || job.lane === 'reconcile' ? null : job.command.id;
}
