import { Button, Checkbox, Group, Paper, Stack, Text } from '@mantine/core';
import { IconBellCheck } from '@tabler/icons-react';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Alert } from '../../../contract/alert.ts';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/language.ts';
import { Empty } from '../../ui/empty.tsx';
import { Failed } from '../../ui/failed.tsx';
import { Loading } from '../../ui/loading.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import { AlertItem } from './alert-item.tsx';
import classes from './alerts.module.css';
import { stillChosen, withChoice } from './fresh-alerts.ts';
import { type Move, type State, type Target, useAlerts, useMove } from './use-alerts.ts';

/** The alerts that stand there, with what can be done with one or several. */
export function AlertList({ state }: { readonly state: State }) {
  const text = useText(alertsText);
  const query = useAlerts(state);
  const count = query.data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  const empty = useFocusWhenEmptied(count);
  if (query.isPending) return <Loading height={110} />;
  if (query.error && !query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const alerts = query.data.pages.flatMap(({ items }) => items);
  if (alerts.length === 0) return <NoAlerts state={state} place={empty} />;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" maw={640}>
        {text.about[state]}
      </Text>
      <Items state={state} alerts={alerts} />
      {query.hasNextPage && (
        <Button
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {text.older}
        </Button>
      )}
    </Stack>
  );
}

/** Where the focus goes when the last alert, and with it the button that was pressed, is gone. */
function useFocusWhenEmptied(count: number): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(count);
  useEffect(() => {
    if (before.current > 0 && count === 0 && document.activeElement === document.body) place.current?.focus();
    before.current = count;
  }, [count]);
  return place;
}

interface NoneProps {
  readonly state: State;
  readonly place: RefObject<HTMLDivElement | null>;
}

function NoAlerts({ state, place }: NoneProps) {
  const text = useText(alertsText);
  const said = {
    open: [text.emptyOpen, text.emptyOpenHow],
    acked: [text.emptyAcked, text.emptyAckedHow],
    resolved: [text.emptyResolved, text.emptyResolvedHow],
  } as const;
  const [title, how] = said[state];
  return (
    <div ref={place} tabIndex={-1} style={{ outline: 'none' }}>
      <Empty icon={IconBellCheck} title={title}>
        <Text size="sm" c="dimmed" maw={480}>
          {how}
        </Text>
      </Empty>
    </div>
  );
}

function Items({ state, alerts }: { readonly state: State; readonly alerts: readonly Alert[] }) {
  const text = useText(alertsText);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLUListElement>(null);
  const move = useMove(() => {
    setChosen(new Set());
    // The button that was pressed is gone with its alert.
    list.current?.focus();
  });
  const picked = stillChosen(chosen, alerts);
  const choose = useCallback(
    (id: string, isIn: boolean) => setChosen((former) => withChoice(former, id, isIn)),
    [],
  );
  const busy = move.isPending ? move.variables.ids : [];
  return (
    <>
      {state !== 'resolved' && (
        <Bar
          state={state}
          alerts={alerts}
          picked={picked}
          isBusy={move.isPending}
          onChoose={(ids) => setChosen(new Set(ids))}
          onMove={move.mutate}
        />
      )}
      <ul ref={list} tabIndex={-1} className={classes.list} aria-label={text.list}>
        {alerts.map((alert) => (
          <AlertItem
            key={alert.id}
            alert={alert}
            isChosen={chosen.has(alert.id)}
            isBusy={busy.includes(alert.id)}
            onChoose={choose}
            onMove={move.mutate}
          />
        ))}
      </ul>
    </>
  );
}

interface BarProps {
  readonly state: State;
  readonly alerts: readonly Alert[];
  readonly picked: readonly Alert[];
  readonly isBusy: boolean;
  readonly onChoose: (ids: readonly string[]) => void;
  readonly onMove: (move: Move) => void;
}

/** What is done with several at once; stays in sight while the list is scrolled. */
function Bar({ state, alerts, picked, isBusy, onChoose, onMove }: BarProps) {
  const text = useText(alertsText);
  const ids = picked.map(({ id }) => id);
  const go = (target: Target) => onMove({ ids, state: target });
  return (
    <Paper px="md" py={6} className={classes.bar} withBorder>
      <Group gap="sm" mih={36}>
        <Checkbox
          size="md"
          label={picked.length > 0 ? text.selected(picked.length) : text.selectAll}
          checked={picked.length === alerts.length}
          indeterminate={picked.length > 0 && picked.length < alerts.length}
          onChange={(event) => onChoose(event.currentTarget.checked ? alerts.map(({ id }) => id) : [])}
        />
        {picked.length > 0 && (
          <Group gap="xs" ml="auto">
            {state === 'open' && (
              <WriteButton size="sm" loading={isBusy} onClick={() => go('acked')}>
                {text.acknowledge}
              </WriteButton>
            )}
            <WriteButton size="sm" variant="default" disabled={isBusy} onClick={() => go('resolved')}>
              {text.resolve}
            </WriteButton>
          </Group>
        )}
      </Group>
    </Paper>
  );
}
