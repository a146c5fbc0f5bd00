import net from 'node:net';

/** Sends bytes as they are and answers all that comes back until the other side closes. */
export function rawRequest(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (chunks.length === 0) reject(error);
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}
