/** Where an alert stands. */
export type AlertState = 'open' | 'acked' | 'resolved';
