import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { useWhyNot } from './use-why-not.ts';

interface Props extends ButtonProps {
  readonly type?: 'button' | 'submit';
  /** The id of the form it sends, where it stands outside of it. */
  readonly form?: string;
  /** Operators may not. */
  readonly adminOnly?: boolean;
  readonly onClick?: () => void;
  readonly children: ReactNode;
  readonly 'aria-label'?: string | undefined;
}

/** A button that changes something: where that is not allowed it says why and does nothing, but can be reached. */
export function WriteButton({ onClick, disabled = false, adminOnly = false, ...button }: Props) {
  const whyNot = useWhyNot(adminOnly);
  const isAllowed = whyNot === null;
  const press = (event: MouseEvent) => {
    if (isAllowed) onClick?.();
    // Also keeps a form from being sent, by Enter too.
    else event.preventDefault();
  };
  return (
    <Tooltip label={whyNot} disabled={isAllowed} events={{ hover: true, focus: true, touch: true }}>
      <Button
        type="button"
        {...button}
        onClick={press}
        // Disabled for good it could not say why.
        disabled={isAllowed && disabled}
        aria-disabled={!isAllowed || undefined}
        data-disabled={!isAllowed || undefined}
      />
    </Tooltip>
  );
}
