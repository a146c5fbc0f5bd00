import { readFileSync, statSync } from 'node:fs';

const GIGABYTE = 2 ** 30;
const MEGABYTE = 2 ** 20;

/** Largest first. A map is room that is reserved, not used; one that is outgrown grows, which stalls the loop for a moment. */
const SIZES = [64 * GIGABYTE, 16 * GIGABYTE, 4 * GIGABYTE, GIGABYTE] as const;

/** For the program itself, beside the map: its heap, its threads, what it loads later. */
const REST_BYTES = 512 * MEGABYTE;

/** An emulator for one program keeps books of every page it maps, and has no room for those of the largest map. */
const EMULATED_BYTES = 20 * GIGABYTE;

/** How a processor shows itself in `/proc/cpuinfo`; under an emulator it is the one of the machine below. */
const OWN_SIGN: Readonly<Partial<Record<NodeJS.Architecture, RegExp>>> = {
  x64: /^vendor_id\s*:/m,
  arm64: /^CPU implementer\s*:/m,
};

/**
 * The size of the store's map in bytes: the largest that fits `room` bytes of address space with what the program needs for
 * itself, at least the store's file. Null when even the smallest does not: LMDB would die of it, not refuse.
 */
export function mapSizeFor(room: number, fileBytes: number): number | null {
  const fits = (size: number): boolean => Math.max(size, fileBytes) + REST_BYTES <= room;
  return SIZES.find(fits) ?? null;
}

/** As `mapSizeFor`, for the file at `path`, which need not be there, in this process. Throws an Error of one line. */
export function mapSizeOf(path: string): number {
  const fileBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const room = addressRoom();
  const size = mapSizeFor(room, fileBytes);
  if (size !== null) return size;
  const needed = Math.ceil((Math.max(GIGABYTE, fileBytes) + REST_BYTES) / MEGABYTE);
  const left = Math.floor(room / MEGABYTE);
  throw new Error(
    `the store needs ${needed} MB of address space, this process may have ${left} MB more: raise its limit (ulimit -v)`,
  );
}

/** Bytes of address space this process may still take; infinite without a limit. */
function addressRoom(): number {
  const limit = /^Max address space\s+(\d+)/m.exec(procText('self/limits'))?.[1];
  const used = Number(/^VmSize:\s+(\d+) kB/m.exec(procText('self/status'))?.[1] ?? 0) * 1024;
  const allowed = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit) - used;
  return isEmulated(process.arch, procText('cpuinfo')) ? Math.min(allowed, EMULATED_BYTES) : allowed;
}

/** Whether `/proc/cpuinfo` shows a processor of another kind than the program is made for. */
export function isEmulated(arch: NodeJS.Architecture, cpuinfo: string): boolean {
  const own = OWN_SIGN[arch];
  const shownAs = Object.entries(OWN_SIGN).find(([, sign]) => sign.test(cpuinfo));
  return own !== undefined && shownAs !== undefined && shownAs[0] !== arch;
}

/** Empty where there is no such file: nothing is known then, and nothing assumed. */
function procText(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return '';
  }
}
