// The load, as a process of its own: it must not share a core with what it measures.
import { serveParent } from './ipc.ts';
import { Load, type LoadRequest } from './load.ts';
import type { SenderOptions } from './sender.ts';

const load = new Load();

serveParent({
  connect: (readers: readonly SenderOptions[]) => load.connect(readers),
  run: (request: LoadRequest) => load.run(request),
  close: () => load.close(),
});
