import { Accordion, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ProvisionedDevice } from '../../../contract/device.ts';
import { call } from '../../api/call.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { keepIssued } from './queries.ts';

const SERIAL = /^[A-Za-z0-9._-]{1,64}$/;
const empty = { serial: '', model: 'R700', name: '', readerUser: '', readerPassword: '' };
type Typed = typeof empty;

interface FieldsProps {
  readonly typed: Typed;
  readonly set: (change: Partial<Typed>) => void;
}

function useProvision(typed: Typed) {
  const given = Object.entries(typed).map(([key, value]) => [
    key,
    key === 'readerPassword' ? value : value.trim(),
  ]);
  const body = { ...Object.fromEntries(given.filter(([, value]) => value !== '')), claim: true };
  return useAction({
    run: () => call<ProvisionedDevice>('POST', '/devices', { body }),
    changes: [['readers'], ['devices'], ['license']],
    quiet: true,
    onDone: (device) => keepIssued({ ...device, name: typed.name.trim() || device.serial }),
  });
}

/** Makes the identity of a reader, and the reader itself. */
export function ProvisionForm() {
  const text = useText(setupText);
  const [typed, setTyped] = useState(empty);
  const provision = useProvision(typed);
  const isGood = SERIAL.test(typed.serial.trim());
  const set = (change: Partial<Typed>) => setTyped((before) => ({ ...before, ...change }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isGood) provision.mutate();
  };
  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack>
        <Refusal error={provision.error} />
        <DeviceFields typed={typed} set={set} />
        <LoginFields typed={typed} set={set} />
        <Group>
          <WriteButton adminOnly type="submit" loading={provision.isPending} disabled={!isGood}>
            {text.provision}
          </WriteButton>
          {provision.isPending && (
            <Text size="sm" c="dimmed" role="status">
              {text.provisioning}
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function DeviceFields({ typed, set }: FieldsProps) {
  const text = useText(setupText);
  const isBad = typed.serial !== '' && !SERIAL.test(typed.serial.trim());
  return (
    <>
      <TextInput
        label={text.serial}
        description={text.serialHint}
        error={isBad ? text.serialFault : null}
        value={typed.serial}
        maw={420}
        onChange={(event) => set({ serial: event.currentTarget.value })}
      />
      <TextInput
        label={text.readerName}
        description={text.readerNameHint}
        maxLength={255}
        value={typed.name}
        maw={420}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TextInput
        label={text.model}
        maxLength={255}
        value={typed.model}
        maw={420}
        onChange={(event) => set({ model: event.currentTarget.value })}
      />
    </>
  );
}

function LoginFields({ typed, set }: FieldsProps) {
  const text = useText(setupText);
  return (
    <Accordion variant="contained">
      <Accordion.Item value="login">
        <Accordion.Control>{text.credentials}</Accordion.Control>
        <Accordion.Panel>
          <Stack maw={420}>
            <Text size="sm" c="dimmed">
              {text.credentialsHint}
            </Text>
            <TextInput
              label={text.user}
              placeholder="root"
              maxLength={255}
              autoComplete="off"
              value={typed.readerUser}
              onChange={(event) => set({ readerUser: event.currentTarget.value })}
            />
            <PasswordInput
              label={text.password}
              maxLength={255}
              autoComplete="new-password"
              value={typed.readerPassword}
              onChange={(event) => set({ readerPassword: event.currentTarget.value })}
            />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
