import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';

/** In place of what is being loaded: lines of about its height. */
export function Loading({ lines = 4, height = 44 }: { readonly lines?: number; readonly height?: number }) {
  const text = useText(commonText);
  return (
    <Stack gap="sm" role="status" aria-busy>
      <VisuallyHidden>{text.loading}</VisuallyHidden>
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((key) => (
        <Skeleton key={key} height={height} radius="md" />
      ))}
    </Stack>
  );
}
