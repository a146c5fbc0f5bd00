import { createServer } from 'node:net';

/** An address that can't be listened on. The message is one line: what is wrong, and which option to change. */
export class PortError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PortError';
  }
}

export interface Address {
  /** The option's section: `http`, `https` or `mqtts`. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** Tries every address before anything is made or promised, so that a start which can't succeed leaves nothing behind. */
export async function checkPorts(addresses: readonly Address[]): Promise<void> {
  for (const address of addresses) await checkPort(address);
}

async function checkPort(address: Address): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen(address.port, address.host, resolve);
    });
  } catch (error) {
    throw new PortError(explain(address, error));
  }
  await new Promise((resolve) => probe.close(resolve));
}

function explain({ name, host, port }: Address, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const place = `${host}:${port} (${name}.port)`;
  if (code === 'EADDRINUSE') return `${place} is in use by another program; stop it or choose another port`;
  if (code === 'EACCES') return `${place} needs more rights; choose a port above 1023`;
  if (code === 'EADDRNOTAVAIL') return `${host} (${name}.host) is not an address of this machine`;
  return `${place} can't be listened on: ${error instanceof Error ? error.message : String(error)}`;
}
