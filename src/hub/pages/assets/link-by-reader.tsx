import { Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Antenna } from '../../../contract/antenna.ts';
import type { StrongestTag } from '../../../contract/radio.ts';
import { call } from '../../api/call.ts';
import { useReaders } from '../../api/queries.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useText } from '../../text/language.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { likeliest } from './signal.ts';
import { SignalWord } from './signal-word.tsx';
import { type Candidate, TagChoice } from './tag-choice.tsx';

const WINDOW_S = 5;
const POLL_MS = 1000;

interface Props {
  readonly epc: string | null;
  readonly choose: (epc: string | null) => void;
}

interface Bench {
  readonly readerId: string;
  readonly port: string;
}

// Whoever links many tags stands at one antenna.
const KEY = 'tagkeep-link-bench';

function lastBench(): Bench {
  const [readerId = '', port = ''] = (localStorage.getItem(KEY) ?? '').split(' ');
  return { readerId, port };
}

/** Holds the tag to an antenna: what is heard there is listed, and the likeliest is chosen. */
export function LinkByReader({ epc, choose }: Props) {
  const text = useText(assetActionsText);
  const [bench, setBench] = useState(lastBench);
  const readers = useReaders();
  const set = (wanted: Bench) => {
    localStorage.setItem(KEY, `${wanted.readerId} ${wanted.port}`);
    setBench(wanted);
    choose(null);
  };
  return (
    <Loaded query={readers}>
      {(all) => {
        if (all.length === 0) return <Text size="sm">{text.noReaders}</Text>;
        const reader = all.find(({ id }) => id === bench.readerId) ?? (all.length === 1 ? all[0] : undefined);
        const readerId = reader?.id ?? '';
        return (
          <Stack>
            <Group grow align="flex-start">
              <Select
                label={text.reader}
                data={all.map(({ id, name }) => ({ value: id, label: name }))}
                value={readerId || null}
                allowDeselect={false}
                onChange={(id) => set({ readerId: id ?? '', port: '' })}
              />
              {readerId && <Ports bench={{ readerId, port: bench.port }} set={set} />}
            </Group>
            {readerId && bench.port ? (
              <Heard
                key={`${readerId} ${bench.port}`}
                bench={{ readerId, port: bench.port }}
                {...{ epc, choose }}
              />
            ) : (
              <Text size="sm">{text.chooseReader}</Text>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

interface PortsProps {
  readonly bench: Bench;
  readonly set: (bench: Bench) => void;
}

/** The antennas of a reader; the first that is used is taken until another is chosen. */
function Ports({ bench: { readerId, port }, set }: PortsProps) {
  const text = useText(assetActionsText);
  const antennas = useQuery({
    queryKey: ['readers', readerId, 'antennas'],
    queryFn: ({ signal }) => call<Antenna[]>('GET', `/readers/${readerId}/antennas`, { signal }),
  });
  const used = (antennas.data ?? []).filter(({ enabled }) => enabled);
  const takeFirst = useEffectEvent(() => {
    const [first] = used;
    if (first && !used.some((one) => String(one.port) === port)) set({ readerId, port: String(first.port) });
  });
  useEffect(() => {
    if (antennas.data) takeFirst();
  }, [antennas.data]);
  return (
    <Select
      label={text.antenna}
      data={used.map(({ port: one, zoneName }) => ({
        value: String(one),
        label: text.antennaName(one, zoneName ?? ''),
      }))}
      value={port || null}
      allowDeselect={false}
      onChange={(chosen) => set({ readerId, port: chosen ?? '' })}
    />
  );
}

/** What is heard, and the tag that is chosen also when it is not heard any more. */
function candidatesOf(
  tags: readonly StrongestTag[],
  epc: string | null,
  silent: string,
): readonly Candidate[] {
  const heard = tags.map((tag) => ({
    ...{ epc: tag.epc, label: tag.label, hasAsset: tag.targetType !== null, isNew: tag.isNew },
    detail: <SignalWord tag={tag} />,
  }));
  if (epc === null || tags.some((tag) => tag.epc === epc)) return heard;
  return [{ epc, label: silent, hasAsset: false }, ...heard];
}

function useHeard({ readerId, port }: Bench) {
  const query = new URLSearchParams({ readerId, port, seconds: String(WINDOW_S) });
  return useQuery({
    queryKey: ['radio', 'strongest', readerId, port],
    queryFn: ({ signal }) => call<StrongestTag[]>('GET', `/radio/strongest?${query}`, { signal }),
    refetchInterval: POLL_MS,
    gcTime: 0,
  });
}

function Heard({ bench, epc, choose }: Props & { readonly bench: Bench }) {
  const text = useText(assetActionsText);
  const heard = useHeard(bench);
  const [byHand, setByHand] = useState(false);
  const follow = useEffectEvent((tags: readonly StrongestTag[]) => {
    // What somebody chose stays chosen.
    if (byHand) return;
    const next = likeliest(tags, epc);
    if (next !== epc) choose(next);
  });
  useEffect(() => {
    if (heard.data) follow(heard.data);
  }, [heard.data]);
  const pick = (wanted: string) => {
    setByHand(true);
    choose(wanted);
  };
  const candidates = candidatesOf(heard.data ?? [], epc, text.silent);
  return (
    <Stack gap="xs">
      <Text size="sm">{text.hold}</Text>
      <Loaded query={heard}>
        {() =>
          candidates.length === 0 ? (
            <Text size="sm" c="dimmed" role="status">
              {text.nothingHeard}
            </Text>
          ) : (
            <TagChoice name={text.heard} tags={candidates} epc={epc} choose={pick} />
          )
        }
      </Loaded>
    </Stack>
  );
}
