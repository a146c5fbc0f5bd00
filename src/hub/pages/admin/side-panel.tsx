import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';

interface Props {
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly size?: number;
}

/** Details beside a list: on the right, on small screens over all of it. */
export function SidePanel({ title, opened, onClose, children, size = 480 }: Props) {
  const text = useText(commonText);
  const isSmall = useMediaQuery('(max-width: 48em)');
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={isSmall ? '100%' : size}
      title={<span className="anything">{title}</span>}
      closeButtonProps={{ 'aria-label': text.close }}
    >
      {opened && children}
    </Drawer>
  );
}
