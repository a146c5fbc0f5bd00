import type { Field } from '../../../contract/field.ts';

interface P {
  readonly epc: string | null;
  readonly fields: readonly Field[];
  readonly onClose: () => void;
}
export function TagDrawer(_: P) {
  return null;
}
