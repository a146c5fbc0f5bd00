/** One thing that is wrong with a request, where it is and why. `path` is dotted, from the body, query or path parameter. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** Every error a caller can cause. `http/problem.ts` maps each to a status and a problem type, once. */
export type Refusal =
  | { readonly kind: 'invalid'; readonly detail: string; readonly errors?: readonly FieldError[] }
  | { readonly kind: 'unauthenticated'; readonly detail: string }
  | { readonly kind: 'forbidden'; readonly detail: string }
  | { readonly kind: 'not-found'; readonly detail: string }
  | { readonly kind: 'claim-code-invalid'; readonly detail: string }
  | { readonly kind: 'device-withdrawn'; readonly detail: string }
  | { readonly kind: 'device-taken'; readonly detail: string }
  | { readonly kind: 'name-taken'; readonly detail: string }
  | { readonly kind: 'import-unreadable'; readonly detail: string }
  | { readonly kind: 'field-exists'; readonly detail: string }
  | { readonly kind: 'tag-linked'; readonly detail: string }
  | { readonly kind: 'asset-number-taken'; readonly detail: string }
  | { readonly kind: 'asset-not-available'; readonly detail: string }
  | { readonly kind: 'asset-not-checked-out'; readonly detail: string }
  | { readonly kind: 'asset-retired'; readonly detail: string }
  | { readonly kind: 'alert-state'; readonly detail: string }
  | { readonly kind: 'no-antenna-enabled'; readonly detail: string }
  | { readonly kind: 'read-only'; readonly detail: string }
  | { readonly kind: 'licence-limit'; readonly detail: string }
  | { readonly kind: 'licence-invalid'; readonly detail: string }
  | { readonly kind: 'login-failed'; readonly detail: string }
  | { readonly kind: 'email-taken'; readonly detail: string }
  | { readonly kind: 'last-admin'; readonly detail: string }
  | { readonly kind: 'webhook-limit'; readonly detail: string }
  | { readonly kind: 'backup-folder-missing'; readonly detail: string }
  | { readonly kind: 'backup-running'; readonly detail: string }
  | { readonly kind: 'too-large'; readonly detail: string }
  | { readonly kind: 'unsupported-media-type'; readonly detail: string }
  | { readonly kind: 'method-not-allowed'; readonly detail: string; readonly allow: readonly string[] }
  | { readonly kind: 'too-many-requests'; readonly detail: string; readonly retryAfterSeconds: number }
  | { readonly kind: 'disk-full'; readonly detail: string }
  | { readonly kind: 'unavailable'; readonly detail: string };

/** Carries a refusal out of a function that can't go on. Thrown in a store write, it rolls the write back. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.name = 'Refused';
    this.refusal = refusal;
  }
}

/** Shorthand for `throw refuse('not-found', …)`. */
export function refuse(
  kind: Exclude<Refusal['kind'], 'method-not-allowed' | 'too-many-requests' | 'invalid'>,
  detail: string,
): Refused {
  // Every kind let in here has a detail and nothing else; the compiler compares no more than 25 of them by itself.
  return new Refused({ kind, detail } as Refusal);
}

/** A 400 that names the field, or the fields. */
export function invalid(detail: string, errors?: readonly FieldError[]): Refused {
  return new Refused(errors ? { kind: 'invalid', detail, errors } : { kind: 'invalid', detail });
}
