/** Whether an IP address is of this machine only: 127.0.0.0/8, also as IPv6 writes it, and ::1. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/i.test(address);
}

/** The same for a host to listen on, which may be a name. */
export function isLoopbackHost(host: string): boolean {
  return isLoopback(host) || host.toLowerCase() === 'localhost';
}
