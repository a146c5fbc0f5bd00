const LOOPBACK = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/i;

/** Whether a page that came from this host was opened on the appliance itself: no reader reaches it by that name. Pure. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname);

/** The usual port of the broker. */
const PORT = '8883';

/** The address of the broker. `port` as the configuration has it; "0" and none are the usual one. Pure. */
export const brokerAt = (host: string, port: string | undefined): string =>
  `mqtts://${host}:${port === undefined || port === '0' ? PORT : port}`;
