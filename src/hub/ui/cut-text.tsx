import { Anchor, Text, type TextProps } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../text/language.ts';
import { uiText } from '../text/ui.ts';

interface Props extends TextProps {
  readonly children: string;
  /** Characters shown before it is cut. */
  readonly max?: number;
}

/** Text from outside: beyond `max` characters it is cut, and shown whole when asked. */
export function CutText({ children, max = 400, ...props }: Props) {
  const text = useText(uiText);
  const [isWhole, setWhole] = useState(false);
  const isLong = children.length > max;
  return (
    <Text component={props.span ? 'span' : 'div'} {...props}>
      <span className="anything">{isLong && !isWhole ? `${children.slice(0, max)}…` : children}</span>
      {isLong && (
        <>
          {' '}
          <Anchor component="button" type="button" size="sm" onClick={() => setWhole(!isWhole)}>
            {isWhole ? text.less : text.whole}
          </Anchor>
        </>
      )}
    </Text>
  );
}
