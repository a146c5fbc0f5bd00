import type { TLSSocket } from 'node:tls';
import { isReaderSerial } from '../contract/topics.ts';
import type { Peer } from './types.ts';

/** A peer, or why its certificate names no reader. */
export type Identified = { readonly peer: Peer } | { readonly refusal: string };

/** Reads who is calling from the verified client certificate; a resumed TLS session has it too. */
export function identify(socket: TLSSocket): Identified {
  const certificate = socket.getPeerCertificate();
  // A resumed TLS 1.3 session can count as authorised without any certificate: Node then answers an empty
  // object.
  if (!socket.authorized || !certificate?.fingerprint256) return { refusal: 'no client certificate' };
  // Typed as a string, but an array when the subject has several common names and undefined when it has none.
  const commonName: unknown = certificate.subject?.CN;
  if (!isReaderSerial(commonName))
    return { refusal: `certificate name is no reader serial: ${shown(commonName)}` };
  return {
    peer: {
      commonName,
      certificateSerial: certificate.serialNumber,
      fingerprint256: certificate.fingerprint256,
      address: socket.remoteAddress ?? '',
    },
  };
}

function shown(commonName: unknown): string {
  return commonName === undefined ? 'none' : JSON.stringify(commonName).slice(0, 100);
}
