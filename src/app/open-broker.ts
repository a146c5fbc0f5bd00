import { join } from 'node:path';
import { startBroker } from '../broker/broker.ts';
import type { Broker } from '../broker/types.ts';
import { startSweeper } from '../sweep/sweeper.ts';
import { admission } from './admission.ts';
import { Disconnects } from './disconnects.ts';
import type { House } from './house.ts';
import type { Pipeline } from './pipeline.ts';

/** Opens the broker in front of the pipeline, and arranges for what was taken to be settled before it closes. */
export async function openBroker(house: House, pipeline: Pipeline): Promise<Broker> {
  const { config, log } = house.options;
  const { activity, directory, outbox } = pipeline;
  const disconnects = new Disconnects(house.store);
  const broker = await startBroker({
    ...config.mqtts,
    ...house.server,
    caPem: house.authority.caCertPem,
    dataDir: join(config.dataDir, 'broker'),
    maxConnections: config.broker.maxConnections,
    log: log.child({ name: 'broker' }),
    hooks: {
      admit: (peer) => admission(directory, peer, house.now()),
      onPublish: (...[serial, kind, { payload }, settle]) => pipeline.take(serial, { kind, payload }, settle),
      onConnected: (serial, id) => activity.connected(serial, id, house.now()),
      onDisconnected: (serial, id) => activity.disconnected(serial, id, house.now()),
      onCommandsSubscribed: (serial) => {
        activity.heard(serial, house.now());
        pipeline.agentReturned(serial);
      },
    },
  });
  const cutting = startSweeper([disconnects.task((serial) => broker.disconnect(serial))], log);
  house.closers.add('disconnects', () => cutting.stop());
  // Undone last first: the broker stops reading and waits for the answers ingest still has to give.
  house.closers.add('commands', () => outbox.close());
  house.closers.add('acknowledgements', () => pipeline.acknowledgements.stop());
  house.closers.add('ingest', () => pipeline.ingest.stop());
  house.closers.add('broker', () => broker.stop());
  // Not waited for: an agent that does not read must not hold up the start.
  void outbox.open((serial, payload, options) => broker.publishCommand(serial, payload, options));
  return broker;
}
