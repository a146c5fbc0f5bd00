import { useOpenAlerts, useReaders } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import classes from './kiosk.module.css';
import { useAbsent } from './queries.ts';
import { unwell } from './unwell.ts';

/** The line at the foot of the wall: what is not as it should be; no line when all is well. */
export function KioskTroubles() {
  const text = useText(nowText);
  const bad = unwell(useReaders().data ?? []);
  const alerts = useOpenAlerts().data?.length ?? 0;
  const { missing, overdue } = useAbsent().data ?? { missing: [], overdue: [] };
  const lines = [
    bad.length > 0 && text.readersBad(bad.length, bad.map(({ name }) => name).join(', ')),
    alerts > 0 && text.alertsOpen(alerts),
    missing.length > 0 && text.assetsMissing(missing.length),
    overdue.length > 0 && text.assetsOverdue(overdue.length),
  ].filter((line) => line !== false);
  if (lines.length === 0) return null;
  return (
    <ul className={classes.troubles}>
      {lines.map((line) => (
        <li key={line} className="anything">
          {line}
        </li>
      ))}
    </ul>
  );
}
