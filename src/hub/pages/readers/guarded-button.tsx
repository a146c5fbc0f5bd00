import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props extends ButtonProps {
  /** Why it cannot be pressed; null when it can. */
  readonly whyNot: string | null;
  readonly onClick?: () => void;
  readonly type?: 'button' | 'submit';
  readonly 'aria-label'?: string | undefined;
  readonly children: ReactNode;
}

/** A button for a change. Where it is not allowed it stays to be seen and reached by keyboard, and says why. */
export function GuardedButton({ whyNot, onClick, type = 'button', ...props }: Props) {
  if (whyNot === null) return <Button type={type} {...(onClick && { onClick })} {...props} />;
  return (
    <Tooltip label={whyNot} withArrow withinPortal={false} events={{ hover: true, focus: true, touch: true }}>
      <Button type="button" {...props} data-disabled aria-disabled aria-description={whyNot} />
    </Tooltip>
  );
}
