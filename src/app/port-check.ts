import { createServer, type Server } from 'node:net';

/** An address that can't be listened on. The message is one line: what is wrong, and which option to change. */
class PortError extends Error {
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
  // All are held until the last is tried, so that two of them with one port are found too.
  const held: { readonly address: Address; readonly probe: Server }[] = [];
  try {
    for (const address of addresses) {
      const rival = held.find((one) => address.port !== 0 && one.address.port === address.port)?.address;
      held.push({ address, probe: await occupy(address, rival) });
    }
  } finally {
    await Promise.all(held.map(({ probe }) => new Promise((resolve) => probe.close(resolve))));
  }
}

async function occupy(address: Address, rival: Address | undefined): Promise<Server> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen(address.port, address.host, resolve);
    });
    return probe;
  } catch (error) {
    throw new PortError(explain(address, error, rival));
  }
}

function explain({ name, host, port }: Address, error: unknown, rival: Address | undefined): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const place = `${host}:${port} (${name}.port)`;
  if (code === 'EADDRINUSE' && rival)
    return `${place} is also the port of ${rival.name}.port; each needs one of its own`;
  if (code === 'EADDRINUSE') return `${place} is in use by another program; stop it or choose another port`;
  if (code === 'EACCES') return `${place} needs more rights; choose a port above 1023`;
  if (code === 'EADDRNOTAVAIL') return `${host} (${name}.host) is not an address of this machine`;
  return `${place} can't be listened on: ${error instanceof Error ? error.message : String(error)}`;
}
