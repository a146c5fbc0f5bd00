import type { DeviceActivity, DeviceRecord } from '../../store/records.ts';

/** What a device shows of itself: kept on disk, or known to the running service only. Times are epoch ms. */
export interface DeviceSigns extends DeviceActivity {
  /** Connections open now: the reader's own client and the agent. */
  readonly connections: number;
  /** What the radio does, as the reader last said since it connected; null = it did not say. */
  readonly radio: 'running' | 'armed' | 'idle' | null;
}

/** Where the signs of life of a device come from. */
export interface DeviceActivitySource {
  of(serial: string): DeviceSigns;
}

/** Model and firmware: as the reader itself last said (it may have been upgraded), else as it was provisioned. */
export function hardwareOf(
  device: DeviceRecord | undefined,
  { health }: DeviceSigns,
): { readonly model: string; readonly firmware: string } {
  return {
    model: textOf(health?.model) ?? device?.model ?? '',
    firmware: textOf(health?.firmware) ?? device?.firmware ?? '',
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
