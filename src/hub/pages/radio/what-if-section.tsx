import { Button, Group, Select } from '@mantine/core';
import { type FormEvent, useRef } from 'react';
import type { WhatIf } from '../../../contract/radio.ts';
import { call } from '../../api/call.ts';
import { useZones } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { radioText } from '../../text/radio.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Section } from './section.tsx';
import type { Trial } from './trial.ts';
import { WhatIfResult } from './what-if-result.tsx';

interface Props {
  readonly trial: Trial;
  readonly onChange: (trial: Trial) => void;
}

function useReplay() {
  return useAction({
    run: ({ policy, zoneId, seconds }: Trial) =>
      call<WhatIf>('POST', '/radio/what-if', { body: { policy, seconds, ...(zoneId && { zoneId }) } }),
    quiet: true,
  });
}

/** Replays the last minutes under another location policy, and takes it over if it is better. */
export function WhatIfSection({ trial, onChange }: Props) {
  const text = useText(radioText);
  const replay = useReplay();
  const tried = useRef(trial);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    tried.current = trial;
    replay.mutate(trial);
  };
  return (
    <Section id="what-if" title={text.whatIf} hint={text.whatIfHint}>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <TrialFields trial={trial} onChange={onChange} />
          <Button type="submit" variant="default" loading={replay.isPending}>
            {text.replay}
          </Button>
        </Group>
      </form>
      <Refusal error={replay.error} />
      {replay.data && !replay.isPending && <WhatIfResult result={replay.data} trial={tried.current} />}
    </Section>
  );
}

const windows = [60, 300, 900, 3600];
const NAME_MAX = 60;

function TrialFields({ trial, onChange }: Props) {
  const text = useText(radioText);
  const zones = useZones().data ?? [];
  return (
    <>
      <Select
        label={text.policy}
        description={text.policyHelp[trial.policy]}
        data={[
          { value: 'stable', label: text.policies.stable },
          { value: 'immediate', label: text.policies.immediate },
        ]}
        value={trial.policy}
        onChange={(policy) => onChange({ ...trial, policy: policy === 'immediate' ? policy : 'stable' })}
        allowDeselect={false}
        w={{ base: '100%', xs: 260 }}
      />
      <Select
        label={text.where}
        data={[
          { value: '', label: text.everywhere },
          ...zones.map(({ id, name }) => ({ value: id, label: name.slice(0, NAME_MAX) })),
        ]}
        value={trial.zoneId}
        onChange={(zoneId) => onChange({ ...trial, zoneId: zoneId ?? '' })}
        allowDeselect={false}
        searchable={zones.length > 10}
        w={{ base: '100%', xs: 220 }}
      />
      <Select
        label={text.window}
        data={windows.map((seconds) => ({
          value: String(seconds),
          label: text.lastMinutes(text.minutes(seconds / 60)),
        }))}
        value={String(trial.seconds)}
        onChange={(seconds) => onChange({ ...trial, seconds: Number(seconds) })}
        allowDeselect={false}
        w={{ base: '100%', xs: 200 }}
      />
    </>
  );
}
