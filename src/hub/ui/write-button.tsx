import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { useCanWrite } from '../api/queries.ts';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';

interface Props extends ButtonProps {
  readonly type?: 'button' | 'submit';
  /** The id of the form it sends, where it stands outside of it. */
  readonly form?: string;
  readonly onClick?: () => void;
  readonly children: ReactNode;
  readonly 'aria-label'?: string;
}

/** A button that changes something: while the licence is read-only it says so and does nothing, but can be reached. */
export function WriteButton({ onClick, disabled = false, ...button }: Props) {
  const text = useText(commonText);
  const canWrite = useCanWrite();
  const press = (event: MouseEvent) => {
    if (canWrite) onClick?.();
    // Also keeps a form from being sent, by Enter too.
    else event.preventDefault();
  };
  return (
    <Tooltip label={text.readOnlyWhy} disabled={canWrite} events={{ hover: true, focus: true, touch: true }}>
      <Button
        type="button"
        {...button}
        onClick={press}
        // Disabled for good it could not say why.
        disabled={canWrite && disabled}
        aria-disabled={!canWrite || undefined}
        data-disabled={!canWrite || undefined}
      />
    </Tooltip>
  );
}
