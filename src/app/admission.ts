import type { Peer } from '../broker/types.ts';
import type { Directory } from '../store/directory.ts';

/**
 * Why a certificate may not connect at `now` (epoch ms), or null. Being signed by our authority is not enough: it must be
 * one that was issued and is on record, not revoked, and its name a registered serial that is not revoked on the broker.
 * Asked at every connection: a resumed TLS session shows its certificate again, but nobody checks its dates again.
 */
export function admission(directory: Directory, peer: Peer, now: number): string | null {
  const device = directory.device(peer.commonName);
  if (!device) return `no device with serial ${peer.commonName} is registered`;
  const certificate = directory.certificate(peer.certificateSerial);
  if (!certificate || certificate.serial !== peer.commonName) return 'the certificate is not one on record';
  if (certificate.fingerprint256 !== peer.fingerprint256)
    return 'the certificate differs from the one on record';
  if (certificate.revokedAt !== null) return 'the certificate is revoked';
  if (certificate.notAfter <= now) return 'the certificate has expired';
  if (device.connectRevoked) return `the device ${peer.commonName} is revoked on the broker`;
  return null;
}
