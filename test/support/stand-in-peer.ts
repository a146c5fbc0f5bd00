import { readFileSync } from 'node:fs';
import { loadIdentity } from '../../src/device/identity.ts';
import { startStandInReader } from '../../src/simulator/stand-in-reader.ts';

/** A stand-in reader in a process of its own: options as JSON in the first argument, its first line tells where it is. */
const { identityDir, certFile, keyFile, ...options } = JSON.parse(process.argv[2] ?? '{}');
const { serial, ...identity } = loadIdentity(identityDir);
const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
const reader = await startStandInReader({ ...options, serial, identity, tls });
process.stdout.write(`${JSON.stringify({ serial, local: reader.url })}\n`);
