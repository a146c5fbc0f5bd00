import type { ButtonProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Confirm } from './confirm.tsx';
import { WriteButton } from './write-button.tsx';

interface Props extends ButtonProps {
  /** What is done: on the button, over the question, and on the answer to it. */
  readonly label: string;
  readonly action: {
    readonly isPending: boolean;
    mutate(input: undefined, options: { readonly onSettled: () => void }): void;
  };
  /** What will happen. */
  readonly children: ReactNode;
  readonly 'aria-label'?: string;
}

/** A button that asks before it changes something. The question goes away when that is done, or has failed. */
export function AskButton({ label, action, children, ...button }: Props) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <WriteButton variant="default" {...button} onClick={() => setAsking(true)}>
        {label}
      </WriteButton>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={label}
        action={label}
        busy={action.isPending}
        onConfirm={() => action.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        {children}
      </Confirm>
    </>
  );
}
