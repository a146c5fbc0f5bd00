import { z } from 'zod';
import {
  type ReaderDiagnostics,
  readerDiagnosticsExample,
  readerDiagnosticsSchema,
} from '../../contract/reader-diagnostics.ts';
import { refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import { currentCertificate } from '../../store/certificates.ts';
import type { Directory } from '../../store/directory.ts';
import type { ReaderRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

/** What arrived from a device since the appliance started; the newest bad payload is last. Times are epoch ms. */
export interface DeviceTroubles {
  readonly rejected: number;
  readonly clockSkewed: number;
  readonly dropped: number;
  readonly clockAheadMs: number | null;
  readonly badPayloads: readonly { readonly at: number; readonly reason: string; readonly excerpt: string }[];
}

/** A connection that is open now; `connectedAt` is epoch ms. */
export interface OpenConnection {
  readonly clientId: string;
  readonly address: string;
  readonly connectedAt: number;
}

export interface DiagnosticsRoutesOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly diagnostics: { of(serial: string): DeviceTroubles };
  readonly connections: (serial: string) => readonly OpenConnection[];
  /** Epoch ms. */
  readonly now: () => number;
}

/** GET /readers/{id}/diagnostics (extension). */
export function diagnosticsRoutes(options: DiagnosticsRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/readers/{id}/diagnostics',
      operationId: 'getReaderDiagnostics',
      summary: 'What may be wrong with a reader (extension)',
      description: [
        'Its last payloads that could not be read, its clock, its certificate and its connections. Counts are since the',
        'appliance started, and the payloads of its present claim only.',
      ].join(' '),
      tag: 'Readers and antennas',
      access: 'caller',
      params: z.object({ id: uuidParam('reader') }),
      responses: {
        200: {
          description: 'The diagnostics',
          schema: readerDiagnosticsSchema,
          example: readerDiagnosticsExample,
        },
      },
      handle: ({ caller, params: { id } }) => {
        const reader = options.store.get(tables.readers, [caller.orgId, id]);
        if (!reader) throw refuse('not-found', 'There is no reader with this id.');
        return { status: 200, body: diagnosticsOf(options, reader) };
      },
    }),
  ];
}

function diagnosticsOf(options: DiagnosticsRoutesOptions, reader: ReaderRecord): ReaderDiagnostics {
  const { serial } = reader;
  const troubles = options.diagnostics.of(serial);
  return {
    badPayloads: badPayloadsOf(troubles, reader, options.now()),
    badPayloadCount: troubles.rejected,
    skewedReads: troubles.clockSkewed,
    clockSkewMs: troubles.clockAheadMs,
    certificate: certificateOf(options.directory, serial),
    connections: options.connections(serial).map(({ clientId, address, connectedAt }) => ({
      ...{ clientId, address, connectedAt: formatInstant(connectedAt) },
    })),
    dropped: { messages: troubles.dropped },
  };
}

/** Those of the reader's own time: what came before belongs to another owner of the device. Newest first. */
function badPayloadsOf(
  { badPayloads }: DeviceTroubles,
  { createdAt }: ReaderRecord,
  now: number,
): ReaderDiagnostics['badPayloads'] {
  // A reader made after `now` was made before the clock was set back: times say nothing then.
  const since = createdAt > now ? Number.NEGATIVE_INFINITY : createdAt;
  return badPayloads
    .filter(({ at }) => at >= since)
    .map(({ at, reason, excerpt }) => ({ at: formatInstant(at), reason, sample: excerpt }))
    .reverse();
}

function certificateOf(directory: Directory, serial: string): ReaderDiagnostics['certificate'] {
  const current = currentCertificate(directory.certificatesOf(serial));
  if (!current) return null;
  const { serialNumber, notBefore, notAfter } = current;
  return { serialNumber, notBefore: formatInstant(notBefore), notAfter: formatInstant(notAfter) };
}
