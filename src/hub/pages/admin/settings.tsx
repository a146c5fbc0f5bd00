import { Group, Paper, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Organisation } from '../../../contract/organisation.ts';
import { call } from '../../api/call.ts';
import { adminText } from '../../text/admin.ts';
import { systemText } from '../../text/admin-system.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { Configuration } from './configuration.tsx';
import { Section } from './section.tsx';
import { Sites } from './sites.tsx';
import { useOrganisation } from './use-system.ts';

/** The organisation, its sites, and the configuration as it is in force. */
export function Settings() {
  const text = useText(systemText);
  const admin = useText(adminText);
  const organisation = useOrganisation();
  return (
    <Section title={admin.part.settings}>
      <Section title={text.organisation} order={3}>
        <Loaded query={organisation} loading={<Loading lines={1} />}>
          {(one) => <NameForm key={one.name} organisation={one} />}
        </Loaded>
      </Section>
      <Sites />
      <Configuration />
    </Section>
  );
}

function NameForm({ organisation }: { readonly organisation: Organisation }) {
  const text = useText(systemText);
  const common = useText(commonText);
  const [name, setName] = useState(organisation.name);
  const save = useAction({
    run: () => call('PATCH', '/organisation', { body: { name } }),
    changes: [['organisation']],
    done: text.saved,
    quiet: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Paper withBorder p="lg" maw={640}>
      <form onSubmit={submit}>
        <Refusal error={save.error} />
        <Group align="end" gap="sm">
          <TextInput
            flex={1}
            miw={200}
            label={text.organisationName}
            required
            maxLength={255}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <WriteButton
            type="submit"
            variant="default"
            disabled={name.trim() === organisation.name}
            loading={save.isPending}
          >
            {common.save}
          </WriteButton>
        </Group>
      </form>
    </Paper>
  );
}
