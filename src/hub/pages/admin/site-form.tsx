import { Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import type { Site } from '../../api/queries.ts';
import { systemText } from '../../text/admin-system.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';

interface Props {
  /** Null: a new one. */
  readonly site: Site | null;
  readonly onDone: () => void;
}

const SHOWN_ZONES = 60;

/** Zones the browser knows, and the one that is set should it know that one not. */
function zonesWith(zone: string): readonly string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return known.includes(zone) ? known : [zone, ...known];
}

/** Name and time zone of a site. */
export function SiteForm({ site, onDone }: Props) {
  const text = useText(systemText);
  const common = useText(commonText);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [name, setName] = useState(site?.name ?? '');
  const [timeZone, setTimeZone] = useState(site?.timeZone ?? own);
  const save = useAction({
    run: () => {
      const body = { name, timeZone };
      return site ? call('PATCH', `/sites/${site.id}`, { body }) : call('POST', '/sites', { body });
    },
    changes: [['sites'], ['license']],
    done: site ? text.saved : text.siteAdded,
    onDone,
    quiet: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={save.error} />
        <TextInput
          data-autofocus
          label={text.siteName}
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label={text.zone}
          required
          searchable
          allowDeselect={false}
          limit={SHOWN_ZONES}
          data={[...zonesWith(timeZone)]}
          value={timeZone}
          onChange={(zone) => zone && setTimeZone(zone)}
        />
        <WriteButton type="submit" loading={save.isPending}>
          {site ? common.save : text.addSite}
        </WriteButton>
      </Stack>
    </form>
  );
}
