interface P {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}
export function ImportDrawer(_: P) {
  return null;
}
