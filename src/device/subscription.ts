import type { MqttClient } from 'mqtt';

/** A topic that a link stays subscribed to. */
export interface Subscription {
  readonly topic: string;
  /** Called for every message of the topic as it comes; must not throw. Redelivered ones are not told apart. */
  readonly onMessage: (payload: Buffer) => void;
  /** Called when the broker has granted the subscription, after every connect. */
  readonly onReady: () => void;
}

/** What a subscription uses of its link. */
export interface SubscriptionPort {
  /** Says which packet identifier comes next. */
  readonly useId: (id: number) => void;
  readonly log: (text: string) => void;
}

/** The identifier of SUBSCRIBE packets: a link that subscribes must not publish with it. */
export const subscribePacketId = 65_535;

const RETRY_FIRST_MS = 5000;
const RETRY_LONGEST_MS = 60_000;

/**
 * Subscribes once `client` is connected, and keeps asking (5 s to 60 s apart) when the broker refuses, which is said once a
 * connection. Ends with the client's connection.
 */
export function keepSubscribed(client: MqttClient, subscription: Subscription, port: SubscriptionPort): void {
  const { topic, onReady } = subscription;
  let timer: NodeJS.Timeout | undefined;
  let refusals = 0;
  const ask = (): void => {
    if (!client.connected) return;
    port.useId(subscribePacketId);
    client.subscribe(topic, { qos: 1 }, (error) => {
      if (error === null) onReady();
      else if (client.connected) again();
    });
  };
  const again = (): void => {
    if (refusals === 0) port.log(`the broker refuses the subscription to ${topic}; trying again`);
    const waitMs = Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** Math.min(refusals, 10));
    refusals += 1;
    timer = setTimeout(ask, waitMs);
  };
  client.on('close', () => clearTimeout(timer));
  ask();
}
