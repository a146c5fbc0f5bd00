import { Button, Text, type TextProps } from '@mantine/core';
import { useState } from 'react';
import { findText } from '../../text/find.ts';
import { useText } from '../../text/language.ts';

/** More than this is cut, with a way to see the whole. */
const LONG = 160;

interface Props extends TextProps {
  readonly children: string;
}

/** A text from outside, of any length. */
export function LongText({ children, ...look }: Props) {
  const text = useText(findText);
  const [isWhole, showWhole] = useState(false);
  const isLong = children.length > LONG;
  // Cut between characters, not within one.
  const cut = isLong && !isWhole ? `${[...children.slice(0, LONG)].slice(0, -1).join('')}…` : children;
  return (
    <span>
      <Text span {...look} className="anything">
        {cut}
      </Text>
      {isLong && (
        <Button ml={6} size="compact-xs" variant="default" onClick={() => showWhole(!isWhole)}>
          {isWhole ? text.less : text.all}
        </Button>
      )}
    </span>
  );
}
