export const outOfServiceReasons = ['withdrawn', 'revoked'] as const;
export type OutOfService = (typeof outOfServiceReasons)[number];

/** What a device's service state follows from. */
export interface DeviceStanding {
  readonly state: string;
  /** Revoked in the service: data refused, the connection stays. */
  readonly dataRevoked: boolean;
  /** Revoked on the broker: refused at the next connection. */
  readonly connectRevoked: boolean;
}

/** Why a device's data is refused although it has a reader; null: it is not. */
export function outOfService({ state, dataRevoked, connectRevoked }: DeviceStanding): OutOfService | null {
  if (state === 'withdrawn') return 'withdrawn';
  return dataRevoked || connectRevoked ? 'revoked' : null;
}

/** Whether a device is a reader that may send: one whose end of certificate, say, is somebody's business. */
export function isInService(device: DeviceStanding): boolean {
  return device.state === 'claimed' && outOfService(device) === null;
}
