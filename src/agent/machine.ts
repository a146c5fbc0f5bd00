import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How busy the machine under the agent is, percent; null where it cannot be told. */
export interface MachineLoad {
  /** Since the last call; null at the first. */
  cpuPercent(): number | null;
  memoryPercent(): number | null;
}

interface CpuTimes {
  readonly idle: number;
  readonly total: number;
}

/** Reads Linux's `/proc` (or a folder like it). Never throws. */
export function machineLoad(procDir = '/proc'): MachineLoad {
  let last: CpuTimes | null = null;
  return {
    cpuPercent: () => {
      const now = cpuTimes(read(join(procDir, 'stat')));
      const before = last;
      last = now;
      if (!now || !before || now.total <= before.total) return null;
      return percent(1 - (now.idle - before.idle) / (now.total - before.total));
    },
    memoryPercent: () => {
      const text = read(join(procDir, 'meminfo'));
      const [total, available] = [kilobytes(text, 'MemTotal'), kilobytes(text, 'MemAvailable')];
      return total > 0 && available >= 0 ? percent(1 - available / total) : null;
    },
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** user nice system idle iowait irq softirq steal; guest times are in user already. */
function cpuTimes(text: string): CpuTimes | null {
  const figures = /^cpu +([\d ]+)/.exec(text)?.[1]?.trim().split(/ +/).slice(0, 8).map(Number) ?? [];
  if (figures.length < 5) return null;
  const total = figures.reduce((sum, one) => sum + one, 0);
  return { idle: (figures[3] ?? 0) + (figures[4] ?? 0), total };
}

function kilobytes(text: string, name: string): number {
  const figure = new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1];
  return figure === undefined ? -1 : Number(figure);
}

function percent(share: number): number {
  return Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;
}
