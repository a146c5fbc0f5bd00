import { badRequest, done, found, type LocalRoute } from './local-answer.ts';
import { isObject, type Schema, schemaFault } from './local-schema.ts';

const QOS: Schema = { type: 'integer', minimum: 0, maximum: 2 };
const MESSAGE: Schema = { type: 'string', maxLength: 500 };
const TOPIC_PATTERN = '^[^#+]*$';

/** The settings of the reader's own MQTT client: the whole object at a time, no other member. */
const mqttSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['active', 'brokerHostname', 'clientId', 'eventTopic'],
  properties: {
    active: { type: 'boolean' },
    brokerHostname: { type: 'string', minLength: 1, maxLength: 253 },
    brokerPort: { type: 'integer', minimum: 1, maximum: 65_535 },
    clientId: { type: 'string', pattern: '^[a-zA-Z0-9]+$', minLength: 1, maxLength: 23 },
    cleanSession: { type: 'boolean' },
    tlsEnabled: { type: 'boolean' },
    username: { type: 'string', maxLength: 200 },
    password: { type: 'string', maxLength: 200 },
    eventTopic: { type: 'string', minLength: 1, maxLength: 200, pattern: TOPIC_PATTERN },
    eventQualityOfService: QOS,
    eventBufferSize: { type: 'integer', minimum: 1000, maximum: 300_000 },
    eventPerSecondLimit: { type: 'integer', minimum: 0, maximum: 100_000 },
    eventPendingDeliveryLimit: { type: 'integer', minimum: 10, maximum: 10_000 },
    keepAliveIntervalSeconds: { type: 'integer', minimum: 0, maximum: 65_535 },
    willTopic: { type: 'string', maxLength: 200, pattern: TOPIC_PATTERN },
    willMessage: MESSAGE,
    connectMessage: MESSAGE,
    disconnectMessage: MESSAGE,
    willQualityOfService: QOS,
  },
};

/** As it leaves the factory: it connects to nobody, and has no keep-alive. */
export const factoryMqtt: Readonly<Record<string, unknown>> = {
  active: false,
  brokerHostname: 'localhost',
  brokerPort: 1883,
  clientId: 'reader',
  cleanSession: false,
  tlsEnabled: false,
  username: '',
  password: '',
  eventTopic: 'events',
  eventQualityOfService: 0,
  eventBufferSize: 100_000,
  eventPerSecondLimit: 0,
  eventPendingDeliveryLimit: 10,
  keepAliveIntervalSeconds: 0,
  willTopic: '',
  willMessage: 'connection lost',
  connectMessage: 'connected',
  disconnectMessage: '',
  willQualityOfService: 0,
};

/** `/mqtt`: what a PUT leaves out has its factory value again. */
export class LocalMqtt {
  #settings: Readonly<Record<string, unknown>>;

  constructor(saved: Readonly<Record<string, unknown>>) {
    this.#settings = saved;
  }

  saved(): Readonly<Record<string, unknown>> {
    return this.#settings;
  }

  routes(): readonly LocalRoute[] {
    return [
      { method: 'GET', pattern: /^\/mqtt$/, run: () => found(this.#settings) },
      {
        method: 'PUT',
        pattern: /^\/mqtt$/,
        run: ({ body }) => {
          const fault = schemaFault(mqttSchema, body);
          if (fault !== null) return badRequest(fault);
          this.#settings = { ...factoryMqtt, ...(isObject(body) ? body : {}) };
          return done;
        },
      },
    ];
  }
}
