import { Alert, Badge, Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { LicenceAnswer } from '../../../contract/licence.ts';
import { call } from '../../api/call.ts';
import { useLicence } from '../../api/queries.ts';
import { adminText } from '../../text/admin.ts';
import { systemText } from '../../text/admin-system.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { useCount } from '../../time/numbers.ts';
import { When } from '../../time/when.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Facts } from './facts.tsx';
import { Section } from './section.tsx';

/** How the licence stands, what is used of it, and how to install another. */
export function LicencePart() {
  const admin = useText(adminText);
  const licence = useLicence();
  return (
    <Section title={admin.part.licence}>
      <Loaded query={licence}>{(answer) => <Standing answer={answer} />}</Loaded>
      <Install />
    </Section>
  );
}

function Standing({ answer: { license, usage } }: { readonly answer: LicenceAnswer }) {
  const text = useText(systemText);
  const common = useText(commonText);
  const shown = useCount();
  const used = (count: number, max: number) =>
    max === 0 ? text.noLimit(shown(count)) : text.of(shown(count), shown(max));
  const { state, customer, edition, expiresAt, features, maxReaders, maxSites, message } = license;
  return (
    <Paper withBorder p="lg">
      <Stack gap="lg">
        <Group gap="sm">
          <Badge variant="light" tt="none" size="lg" color={license.readOnly ? 'red' : 'green'}>
            {text.licenceState[state]}
          </Badge>
          <Text>
            {text.licenceSaid[state]} {license.readOnly && text.stillRecorded}
          </Text>
        </Group>
        {message && (
          <Alert color={license.readOnly ? 'red' : 'orange'} className="anything" lang="en">
            {message}
          </Alert>
        )}
        <Facts
          facts={[
            ...(customer ? [{ name: text.customer, value: customer }] : []),
            { name: text.edition, value: edition },
            { name: text.readersUsed, value: used(usage.readers, maxReaders) },
            { name: text.sitesUsed, value: used(usage.sites, maxSites) },
            { name: text.ends, value: expiresAt ? <When at={expiresAt} /> : text.noEnd },
            { name: text.addOns, value: features.join(', ') || common.none },
          ]}
        />
      </Stack>
    </Paper>
  );
}

/** Works while the licence is read-only: it is what ends that. */
function Install() {
  const text = useText(systemText);
  const [token, setToken] = useState('');
  const install = useAction({
    run: () => call<LicenceAnswer>('PUT', '/license', { body: { token: token.trim() } }),
    changes: [['license']],
    done: text.installed,
    onDone: () => setToken(''),
    quiet: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    install.mutate();
  };
  return (
    <Section title={text.install} order={3}>
      <form onSubmit={submit}>
        <Stack maw={640} align="start">
          <Refusal error={install.error} />
          <Textarea
            w="100%"
            label={text.token}
            description={text.installHint}
            required
            autosize
            minRows={3}
            maxRows={10}
            autoComplete="off"
            spellCheck={false}
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
          <Button type="submit" loading={install.isPending}>
            {text.install}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}
