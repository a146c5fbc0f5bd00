// Publishes two messages over one connection, QoS 1, and says whether each was acknowledged and how often it connected.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import mqtt from 'mqtt';

const [url, dir] = process.argv.slice(2);
const [first, second] = JSON.parse(await text(process.stdin));
const read = (name) => readFileSync(join(dir, name));
const client = mqtt.connect(url, {
  ca: read('ca.crt'),
  cert: read('client.crt'),
  key: read('client.key'),
  protocolVersion: 4,
});
let connections = 0;
client.on('connect', () => {
  connections += 1;
});
await client.publishAsync(process.env.FIRST_TOPIC, first, { qos: 1 });
await client.publishAsync(process.env.SECOND_TOPIC, second, { qos: 1 });
process.stdout.write(`acknowledged acknowledged connections ${connections}\n`);
await client.endAsync();
