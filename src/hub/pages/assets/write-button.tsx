import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCanWrite } from '../../api/queries.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';

interface Props extends ButtonProps {
  readonly children: ReactNode;
  readonly onClick?: () => void;
  readonly type?: 'button' | 'submit';
  readonly form?: string;
  readonly 'aria-label'?: string;
}

/** A button that changes something: disabled, with the reason, while the licence refuses changes. */
export function WriteButton({ disabled, type = 'button', ...props }: Props) {
  const text = useText(commonText);
  const canWrite = useCanWrite();
  const button = <Button type={type} {...props} disabled={!canWrite || disabled === true} />;
  if (canWrite) return button;
  return (
    <Tooltip label={text.readOnlyWhy}>
      <span>{button}</span>
    </Tooltip>
  );
}
