/** A call that failed: `status` 0 when the appliance could not be reached. `message` is a sentence for people. */
export class CallError extends Error {
  readonly status: number;
  /** The last part of the problem's type, such as `asset-not-checked-out`; empty when there is none. */
  readonly slug: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];

  constructor(status: number, body: Partial<ProblemBody>) {
    super(body.detail || body.title || (status === 0 ? 'unreachable' : `HTTP ${status}`));
    this.name = 'CallError';
    this.status = status;
    this.slug = body.type?.split('/').pop() ?? '';
    this.errors = body.errors ?? [];
  }
}

interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: CallError['errors'];
}

/** What the body of a refusal says; nothing when it is no problem document. */
export async function problemOf(answer: Response): Promise<CallError> {
  const body: Partial<ProblemBody> = await answer.json().catch(() => ({}));
  return new CallError(answer.status, body);
}
