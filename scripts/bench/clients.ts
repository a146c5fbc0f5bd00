import { join } from 'node:path';
import mqtt from 'mqtt';
import { type Child, cores, start } from './child.ts';
import { serialOf } from './fleet.ts';
import type { LoadRequest, LoadResult } from './load.ts';
import { cpuSeconds } from './machine.ts';
import type { ProbeOptions, RestOptions, RestResult, StreamOptions, StreamResult } from './probe.ts';
import type { Site } from './seed.ts';
import type { SenderOptions } from './sender.ts';

const here = import.meta.dirname;

/** The load generator's process. */
export class Generator {
  // A little less important than the probes beside it: a probe that waits for its core would measure that.
  readonly #child: Child = start(['nice', '-n', '5', process.execPath, join(here, 'generator.mjs')], {
    core: cores.load,
    ipc: true,
  });

  async connect(site: Site, port: number): Promise<void> {
    await this.#child.ask('connect', sendersOf(site, port));
  }

  run(request: LoadRequest): Promise<LoadResult> {
    return this.#child.ask('run', request);
  }

  async close(): Promise<void> {
    await this.#child.ask('close');
  }
}

/** The process that looks at REST and the stream meanwhile. */
export class Probe {
  readonly #child: Child = start([process.execPath, join(here, 'probe.mjs')], {
    core: cores.load,
    ipc: true,
  });

  statusOf(request: RestOptions): Promise<number> {
    return this.#child.ask('statusOf', request);
  }

  startRest(request: RestOptions): Promise<void> {
    return this.#child.ask('startRest', request);
  }

  stopRest(): Promise<RestResult> {
    return this.#child.ask('stopRest');
  }

  openStream(request: StreamOptions): Promise<void> {
    return this.#child.ask('openStream', request);
  }

  closeStream(between: { from: number; to: number }): Promise<StreamResult> {
    return this.#child.ask('closeStream', between);
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}

/** Processor time of a target under load: its share of a core, and what a second of it brought. */
export interface TargetCpu {
  readonly share: number;
  /** Tells targets apart on a machine that others use too, where messages/s of the clock do not. */
  readonly messagesPerCpuSecond: number;
}

/** Runs a load and sees what it costs the target. */
export async function loaded(
  generator: Generator,
  request: LoadRequest,
  pid: number,
): Promise<{ readonly load: LoadResult; readonly cpu: TargetCpu }> {
  const before = cpuSeconds(pid);
  const began = performance.now();
  const load = await generator.run(request);
  const seconds = cpuSeconds(pid) - before;
  const share = seconds / ((performance.now() - began) / 1000);
  return { load, cpu: { share, messagesPerCpuSecond: load.total / seconds } };
}

function sendersOf(site: Site, port: number): readonly SenderOptions[] {
  return site.readers.map((identity, reader) => ({
    host: '127.0.0.1',
    port,
    serial: serialOf(reader),
    ca: site.ca,
    ...identity,
  }));
}

/** GET of a path of the interface; the body as parsed. */
export async function getJson({ origin, apiKey }: ProbeOptions, path: string): Promise<unknown> {
  const response = await fetch(new URL(path, origin), { headers: { authorization: `Bearer ${apiKey}` } });
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
  return response.json();
}

const ECHO_MS = 5000;

/**
 * Proves that a broker passes on what a reader publishes on its own topic. A broker whose access rules refuse it would
 * acknowledge it all the same and be measured with doing nothing.
 */
export async function checkEcho(site: Site, port: number): Promise<void> {
  const [identity] = site.readers;
  const connection = {
    host: '127.0.0.1',
    port,
    protocol: 'mqtts',
    ca: site.ca,
    servername: 'localhost',
  } as const;
  const client = await mqtt.connectAsync({
    ...connection,
    ...identity,
    reconnectPeriod: 0,
    connectTimeout: ECHO_MS,
  });
  try {
    const topic = `svc/v1/${serialOf(0)}/events`;
    const heard = new Promise<void>((resolve, reject) => {
      client.once('message', () => resolve());
      setTimeout(
        () => reject(new Error('the broker acknowledges messages but does not pass them on')),
        ECHO_MS,
      ).unref();
    });
    await client.subscribeAsync(topic, { qos: 1 });
    await client.publishAsync(topic, 'echo', { qos: 1 });
    await heard;
  } finally {
    await client.endAsync(true);
  }
}
