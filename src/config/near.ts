const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The candidate a mistyped `name` most likely means, or null. Case and punctuation don't count. */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const wanted = fold(name);
  if (wanted.length === 0 || wanted.length > 64) return null;
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const candidate of candidates) {
    const distance = unlikeness(wanted, fold(candidate));
    if (!best || distance < best.distance) best = { name: candidate, distance };
  }
  return best && best.distance <= Math.min(3, wanted.length / 3) ? best.name : null;
}

// A name cut short (`ingest.maxClockSkew`) is as good as one letter wrong.
function unlikeness(wanted: string, candidate: string): number {
  if (wanted.length >= 4 && (candidate.startsWith(wanted) || candidate.endsWith(wanted))) return 1;
  return editDistance(wanted, candidate);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, ca] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, cb] of [...b].entries()) {
      const replaced = at(row, j) + (ca === cb ? 0 : 1);
      next.push(Math.min(replaced, at(row, j + 1) + 1, at(next, j) + 1));
    }
    row = next;
  }
  return at(row, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;
