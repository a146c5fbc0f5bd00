import { VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useOpenAlerts } from '../../api/queries.ts';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/language.ts';
import { freshAlerts } from './fresh-alerts.ts';

const SAID_MAX = 300;

/** Tells screen readers of new alerts, once what they are reading is read. */
export function Announcer() {
  const text = useText(alertsText);
  const open = useOpenAlerts().data;
  const known = useRef<ReadonlySet<string> | null>(null);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (!open) return;
    const fresh = freshAlerts(known.current, open);
    known.current = new Set(open.map(({ id }) => id));
    if (fresh[0]) setSaid(text.arrived(fresh.length, fresh[0].message.slice(0, SAID_MAX)));
  }, [open, text]);
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {said}
    </VisuallyHidden>
  );
}
