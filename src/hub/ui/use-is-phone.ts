import { useMediaQuery } from '@mantine/hooks';

/** Whether the window is as narrow as a phone's: below `sm`, as in the styles. Known from the first time it is drawn. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
}
