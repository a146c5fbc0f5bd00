/** Answers the requests of the process that started this one: a request is a name and one argument, an answer a value. */
export type Handlers = Readonly<Record<string, (argument: never) => unknown>>;

export interface Request {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Serves until the parent goes; then this process ends too, so that nothing is left running. */
export function serveParent(handlers: Handlers): void {
  process.on('message', (message) => {
    // Only the parent, which is of the same build, writes into this channel.
    void answer(handlers, message as Request).then((reply) => process.send?.(reply));
  });
  process.once('disconnect', () => process.exit(0));
}

async function answer(handlers: Handlers, { id, name, argument }: Request): Promise<Answer> {
  try {
    const handler = handlers[name];
    if (!handler) throw new Error(`no request "${name}"`);
    return { id, value: await handler(argument as never) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
