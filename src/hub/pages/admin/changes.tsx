import { Anchor, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useMemo, useState } from 'react';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';
import { uiText } from '../../text/ui.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { type Difference, differences } from './difference.ts';

interface Props {
  readonly before: unknown;
  readonly after: unknown;
}

const FEW = 4;
const VALUE_MAX = 160;

/** What a change changed, member by member: what was is struck out, and said to screen readers. */
export function Changes({ before, after }: Props) {
  const text = useText(uiText);
  const all = useMemo(() => differences(before, after), [before, after]);
  const [isWhole, setWhole] = useState(false);
  return (
    <Stack gap={2}>
      {all.slice(0, isWhole ? all.length : FEW).map((one) => (
        <Line key={one.member} difference={one} isChange={before !== undefined && after !== undefined} />
      ))}
      {all.length > FEW && (
        <Anchor component="button" type="button" size="sm" ta="start" onClick={() => setWhole(!isWhole)}>
          {isWhole ? text.less : `${text.whole} (${all.length})`}
        </Anchor>
      )}
    </Stack>
  );
}

interface LineProps {
  readonly difference: Difference;
  /** Something was before and is after; else it was made or is gone as a whole. */
  readonly isChange: boolean;
}

function Line({ difference: { member, before, after }, isChange }: LineProps) {
  const text = useText(adminText);
  return (
    <Text component="div" size="sm" className="anything">
      {member && <Text span inherit c="dimmed">{`${member}: `}</Text>}
      {before !== undefined && (
        <del>
          <Value>{before}</Value>
        </del>
      )}
      {isChange && (
        <>
          <span aria-hidden> → </span>
          <VisuallyHidden>{text.became}</VisuallyHidden>
          {after === undefined && text.wasEmpty}
        </>
      )}
      {after !== undefined && <Value>{after}</Value>}
    </Text>
  );
}

const Value = ({ children }: { readonly children: string }) => (
  <CutText span inherit max={VALUE_MAX} display="inline">
    {children}
  </CutText>
);
