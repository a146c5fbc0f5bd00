import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';
import { useText } from '../text/language.ts';
import { shellText } from '../text/shell.ts';

/** What opens the menu of whoever is logged in. */
export function AccountButton(props: ActionIconProps & ComponentPropsWithRef<'button'>) {
  const text = useText(shellText);
  return (
    <ActionIcon variant="default" size="lg" aria-label={text.account} aria-haspopup="menu" {...props}>
      <IconUser size={18} aria-hidden />
    </ActionIcon>
  );
}
