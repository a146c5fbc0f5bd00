import { formatInstant } from '../lib/instant.ts';
import type { Finding } from './doctor-finding.ts';
import type { Sight } from './doctor-sight.ts';
import { version } from './version.ts';

/** Whether an appliance serves the data folder, answers, and takes reads and writes; the reasons when it does not. */
export function checkAppliance({ config, running }: Sight): readonly Finding[] {
  const { pid, problem, ready } = running;
  const check = 'appliance';
  if (pid === null) {
    const message = problem ?? `no appliance is serving ${config.dataDir}`;
    const advice = problem === null ? 'start it: tagkeep serve, or its service' : 'run this as its user';
    return [{ check, level: 'fault', message, advice }];
  }
  if (problem !== null) {
    const advice = 'look at its log; if it stays so, restart it';
    return [{ check, level: 'fault', subject: `pid ${pid}`, message: problem, advice }];
  }
  const reasons = ready?.status === 'ready' ? [] : (ready?.reasons ?? []);
  return [
    { check, level: 'ok', subject: `pid ${pid}`, message: since(running.metrics) },
    ...otherVersion(running.metrics),
    ...reasons.map((message): Finding => ({ check: 'ready', level: 'fault', message })),
  ];
}

function otherVersion(metrics: string | null): readonly Finding[] {
  const serving = /^tagkeep_build_info\{version="([^"]{1,40})"\}/m.exec(metrics ?? '')?.[1];
  if (serving === undefined || serving === version) return [];
  const message = `version ${serving} is running, ${version} is installed`;
  return [{ check: 'appliance', level: 'note', message, advice: 'restart it' }];
}

function since(metrics: string | null): string {
  const started = metrics === null ? undefined : figuresIn(metrics).get('process_start_time_seconds');
  return started === undefined ? 'running' : `running since ${formatInstant(started * 1000)}`;
}

/** The figures without labels of a text in the Prometheus format, by name. */
export function figuresIn(text: string): ReadonlyMap<string, number> {
  const figures = new Map<string, number>();
  for (const [, name, value] of text.matchAll(/^([a-z_][a-z0-9_]*) (\S+)$/gm)) {
    const figure = Number(value);
    if (name !== undefined && Number.isFinite(figure)) figures.set(name, figure);
  }
  return figures;
}
