import type { ReaderKey } from '../../store/commands.ts';

/** Sends a reader's newest commands; resolves when the broker has them, or can't take them now. Never rejects. */
export type SendCommand = (reader: ReaderKey) => Promise<void>;

/** How long an answer waits for the broker; after that it shows the command pending. */
const SEND_WAIT_MS = 2000;

/** Sends, and waits for the broker as long as an answer may. */
export async function sendAndWait(send: SendCommand, reader: ReaderKey): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SEND_WAIT_MS);
  });
  await Promise.race([send(reader), timeout]);
  clearTimeout(timer);
}
