import { Badge } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import type { Reader } from '../../../contract/reader.ts';
import { useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';

const looks = {
  'Online and Reading': { color: 'green', icon: IconCircleCheck },
  'Online and Idle': { color: 'gray', icon: IconCircleDashed },
  Degraded: { color: 'orange', icon: IconAlertTriangle },
  Offline: { color: 'red', icon: IconPlugConnectedX },
} as const;

/** A reader's status in one word, with a sign of its own: colour says nothing alone. */
export function StatusBadge({ status }: { readonly status: Reader['displayStatus'] }) {
  const text = useText(readersText);
  const { color, icon: Icon } = looks[status];
  return (
    <Badge
      color={color}
      variant="light"
      size="lg"
      tt="none"
      flex="none"
      leftSection={<Icon size={14} aria-hidden />}
    >
      {text.status[status]}
    </Badge>
  );
}
