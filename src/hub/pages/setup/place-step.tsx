import { Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Organisation } from '../../../contract/organisation.ts';
import { call } from '../../api/call.ts';
import { homeOf, type Site, useSites } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { useOrganisation } from './queries.ts';
import type { StepProps } from './step-props.ts';

/** What the organisation and its first site are called, and the zone its times are in. */
export function PlaceStep(props: StepProps) {
  const text = useText(setupText);
  const organisation = useOrganisation();
  const sites = useSites();
  return (
    <Stack>
      <Text>{text.placeWhy}</Text>
      <Loaded query={organisation}>
        {(known) => (
          <Loaded query={sites}>
            {(all) => {
              const site = homeOf(all);
              return site && <PlaceForm {...props} organisation={known} site={site} />;
            }}
          </Loaded>
        )}
      </Loaded>
    </Stack>
  );
}

interface FormProps extends StepProps {
  readonly organisation: Organisation;
  readonly site: Site;
}

const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Every zone the browser knows; the appliance's own may have a name that is not among them. */
const zonesWith = (...more: readonly string[]): string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...more])].toSorted();

function usePlaceForm({ organisation, site, isDone, next }: FormProps) {
  const [typed, setTyped] = useState({
    organisation: isDone ? organisation.name : '',
    site: site.name,
    // Whoever sets it up the first time sits at the site, most likely.
    timeZone: isDone ? site.timeZone : browserZone(),
  });
  const save = useAction({
    run: async () => {
      const name = typed.organisation.trim();
      const place = { name: typed.site.trim(), timeZone: typed.timeZone };
      if (name !== organisation.name) await call('PATCH', '/organisation', { body: { name } });
      await call('PATCH', `/sites/${site.id}`, { body: place });
    },
    changes: [['organisation'], ['sites']],
    quiet: true,
    onDone: () => next(),
  });
  const isWhole = typed.organisation.trim() !== '' && typed.site.trim() !== '';
  const set = (change: Partial<typeof typed>) => setTyped((before) => ({ ...before, ...change }));
  return { typed, set, save, isWhole };
}

function PlaceForm(props: FormProps) {
  const text = useText(setupText);
  const { typed, set, save, isWhole } = usePlaceForm(props);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isWhole) save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack maw={420}>
        <Refusal error={save.error} />
        <TextInput
          label={text.organisation}
          description={text.organisationHint}
          maxLength={255}
          value={typed.organisation}
          onChange={(event) => set({ organisation: event.currentTarget.value })}
        />
        <TextInput
          label={text.site}
          description={text.siteHint}
          maxLength={255}
          value={typed.site}
          onChange={(event) => set({ site: event.currentTarget.value })}
        />
        <Select
          label={text.timeZone}
          description={text.suggested(browserZone())}
          searchable
          allowDeselect={false}
          limit={60}
          data={zonesWith(props.site.timeZone, browserZone())}
          value={typed.timeZone}
          onChange={(timeZone) => timeZone && set({ timeZone })}
        />
        <Group>
          <WriteButton adminOnly type="submit" loading={save.isPending} disabled={!isWhole}>
            {text.savePlace}
          </WriteButton>
        </Group>
      </Stack>
    </form>
  );
}
