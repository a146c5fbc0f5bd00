import type { Refusal } from '../domain/refusal.ts';
import type { Credentials } from './access.ts';
import type { ServeHub } from './hub-pages.ts';
import type { Page } from './page.ts';
import type { Caller, Route } from './route.ts';

/** What the HTTP kernel needs of a logger; pino has it. */
export interface MinimalLogger {
  info(object: object, message: string): void;
  warn(object: object, message: string): void;
  error(object: object, message: string): void;
}

/** One finished request, for metrics. `operationId` is null outside the API and for unknown addresses. */
export interface Observation {
  readonly method: string;
  readonly operationId: string | null;
  readonly status: number;
  readonly durationMs: number;
}

/** Everything `createHttp` works with. */
export interface HttpOptions {
  /** Below `/api/v1`. */
  readonly routes: readonly Route[];
  /** Null: nobody has these credentials (401). May throw `Refused`. Not asked when a request has no credentials. */
  authenticate(credentials: Credentials): Promise<Caller | null> | Caller | null;
  readonly probes: { ready(): { readonly ok: boolean; readonly reasons: readonly string[] } };
  /** The text of `GET /metrics`; 404 when absent. */
  metrics?(): Promise<{ readonly contentType: string; readonly body: string }>;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly log: MinimalLogger;
  /** Asked before every call of a non-GET route that is neither public nor `readsOnly`: why no writes are taken now. */
  beforeWrite?(caller: Caller, route: Route): Refusal | null;
  /** The kinds `beforeWrite` may answer, for the documentation. `disk-full` when absent. */
  readonly writeRefusals?: readonly Refusal['kind'][];
  /**
   * What else is at a path outside the API, such as the authority's pages; a function makes it when it is served.
   * Null: nothing.
   */
  site?(path: string): Page | (() => Promise<Page>) | null;
  /** The hub's page and files (`hubPages`). Null: not its path. */
  hub?(path: string): ServeHub | null;
  /** False: browsers are not told to come with HTTPS only (`mayForceHttps`). */
  readonly strictTransport?: boolean;
  /** An answer that does not match its route's declaration becomes a logged 500. For tests. */
  readonly checkResponses?: boolean;
  observe?(observation: Observation): void;
}
