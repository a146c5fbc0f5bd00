import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';

interface Props<T> {
  readonly items: readonly T[];
  readonly children: (shown: readonly T[]) => ReactNode;
}

const STEP = 100;

/** The first hundred of a long list, and more when asked: thousands of rows make a page slow. */
export function Pieces<T>({ items, children }: Props<T>) {
  const text = useText(commonText);
  const [max, setMax] = useState(STEP);
  return (
    <>
      {children(items.slice(0, max))}
      {items.length > max && (
        <Button variant="default" onClick={() => setMax(max + STEP)}>
          {text.more}
        </Button>
      )}
    </>
  );
}
