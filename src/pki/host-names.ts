import { readFileSync, statSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { domainToASCII } from 'node:url';
import { PkiError } from './pki-error.ts';

/** What a machine knows of itself: its host name, the text of its hosts file, its addresses other machines can reach. */
export interface HostFacts {
  readonly hostname: string;
  readonly hostsFile: string;
  readonly addresses: readonly string[];
}

/** Names and IP addresses a server certificate is made for, each once, in canonical form. */
export interface SubjectNames {
  readonly names: string[];
  readonly addresses: string[];
}

const MAX_EXTRAS = 50;
// Together with the extras, localhost and the like, no more than the 100 a server certificate takes.
const MAX_INTERFACE_ADDRESSES = 40;
const MAX_FULL_NAMES = 4;
const MAX_HOSTS_FILE_BYTES = 1024 * 1024;
const NAME_MAX_LENGTH = 253;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Every name and address this machine may be reached by: host name, full name from the hosts file, `.local` name,
 * localhost, its addresses on the network (the first 40), loopback, and the extra names or addresses. No look-up goes
 * over the network. More than 50 extras, or one that is neither a name nor an address, is a `PkiError`.
 */
export function hostNames(extra: readonly string[], host: HostFacts = thisHost()): SubjectNames {
  if (extra.length > MAX_EXTRAS)
    throw new PkiError(`${extra.length} extra host names; at most ${MAX_EXTRAS} are allowed`);
  const reachable = host.addresses.flatMap((address) => canonicalAddress(address) ?? []);
  const added = subjectNames(extra);
  const names = [...ownNames(host), 'localhost', ...added.names];
  const addresses = [...reachable.slice(0, MAX_INTERFACE_ADDRESSES), '127.0.0.1', '::1', ...added.addresses];
  return { names: [...new Set(names)], addresses: [...new Set(addresses)] };
}

/** Sorts texts into names and addresses, in canonical form; one that is neither is a `PkiError` that names it. */
export function subjectNames(texts: readonly string[]): SubjectNames {
  const names = new Set<string>();
  const addresses = new Set<string>();
  for (const text of texts) {
    const address = canonicalAddress(text);
    const name = address === null ? canonicalName(text) : null;
    if (address !== null) addresses.add(address);
    else if (name !== null) names.add(name);
    else throw new PkiError(`${JSON.stringify(text.slice(0, 300))} is neither a host name nor an IP address`);
  }
  return { names: [...names], addresses: [...addresses] };
}

/** A host name in lower case without its final dot, an international one in its ASCII form; null when it is none. */
export function canonicalName(text: string): string | null {
  if (text.length > NAME_MAX_LENGTH + 1) return null;
  // The conversion drops line ends, and takes ASCII oddities such as `0x7f.1` for addresses.
  if (/[\s\p{Cc}]/u.test(text)) return null;
  const ascii = /^[\x21-\x7e]*$/.test(text) ? text : domainToASCII(text);
  const name = ascii.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  const numeric = /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '');
  return name.length <= NAME_MAX_LENGTH && !numeric && labels.every((label) => LABEL.test(label))
    ? name
    : null;
}

/** An address others can use in its one canonical spelling (`::1`, not `0:0::1`); null for any other text. */
export function canonicalAddress(text: string): string | null {
  // A zone (`%eth0`) has a meaning on one machine only, and a certificate has no place for it.
  if (isIP(text) === 0 || text.includes('%')) return null;
  const canonical = isIPv6(text) ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : text;
  return canonical === '::' || canonical === '0.0.0.0' ? null : canonical;
}

function ownNames(host: HostFacts): string[] {
  const own = canonicalName(host.hostname);
  if (own === null || own === 'localhost') return [];
  const short = own.split('.')[0] ?? own;
  const full = fullNames(host.hostsFile, own).filter((name) => name.startsWith(`${short}.`));
  return [own, short, ...new Set(full.slice(0, MAX_FULL_NAMES)), `${short}.local`];
}

/** Names with a dot on the lines of the hosts file that also carry the host's own name. */
function fullNames(hostsFile: string, own: string): string[] {
  const lines = hostsFile.split('\n').map((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1));
  const ours = lines.filter((aliases) => aliases.some((alias) => alias.toLowerCase() === own));
  return ours.flat().flatMap((alias) => (alias.includes('.') ? (canonicalName(alias) ?? []) : []));
}

function thisHost(): HostFacts {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // Link-local IPv6 addresses work only together with a zone.
  const usable = all.filter((each) => !each.internal && !/^fe[89ab]/i.test(each.address));
  const v4First = usable.sort((a, b) => a.family.localeCompare(b.family));
  return { hostname: hostname(), hostsFile: readHosts(), addresses: v4First.map((each) => each.address) };
}

function readHosts(path = '/etc/hosts'): string {
  try {
    return statSync(path).size > MAX_HOSTS_FILE_BYTES ? '' : readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
