export const outOfServiceReasons = ['withdrawn', 'revoked'] as const;
export type OutOfService = (typeof outOfServiceReasons)[number];

/** What opens a reader's local interface as it leaves the factory. */
export const factoryCredentials = { user: 'root', password: 'impinj' } as const;

/** Whose device it is. */
export interface DeviceOwner {
  /** Where it belongs while claimed. */
  readonly orgId: string | null;
  /** Whose administrators provisioned it last; absent: not known. */
  readonly provisionedFor?: string;
}

/**
 * Whether an organisation may see and provision a device by its serial alone, without the code on its box. Whoever can
 * provision a serial holds a certificate in its name, so what another organisation claimed or provisioned stays closed.
 * `isOnly`: there is no other organisation.
 */
export function isDeviceOf(device: DeviceOwner, orgId: string, isOnly: boolean): boolean {
  if (device.orgId !== null) return device.orgId === orgId;
  return device.provisionedFor === undefined ? isOnly : device.provisionedFor === orgId;
}

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
