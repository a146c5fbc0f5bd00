import {
  Button,
  Checkbox,
  Collapse,
  Input,
  MultiSelect,
  SegmentedControl,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useZones } from '../../api/queries.ts';
import { webhooksText } from '../../text/admin-webhooks.ts';
import { useText } from '../../text/language.ts';
import { Refusal } from '../../ui/refusal.tsx';
import { WriteButton } from '../../ui/write-button.tsx';
import type { Draft, EventType } from './webhook-draft.ts';

interface Props {
  readonly first: Draft;
  /** Whether it can still be chosen how it goes out. */
  readonly isNew: boolean;
  readonly action: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSend: (draft: Draft) => void;
}

/** Who is told, and of what. */
export function WebhookForm({ first, isNew, action, busy, error, onSend }: Props) {
  const [draft, setDraft] = useState(first);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (draft.types.length > 0) onSend(draft);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={error} />
        {isNew && <Way draft={draft} onChange={change} />}
        <Target draft={draft} onChange={change} />
        <Types draft={draft} onChange={change} />
        <Narrowing draft={draft} onChange={change} />
        <WriteButton type="submit" loading={busy}>
          {action}
        </WriteButton>
      </Stack>
    </form>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

function Way({ draft, onChange }: PartProps) {
  const text = useText(webhooksText);
  return (
    <Input.Wrapper label={text.way} labelElement="div">
      <SegmentedControl
        fullWidth
        aria-label={text.way}
        value={draft.way}
        onChange={(way) => onChange({ way: way === 'mail' ? 'mail' : 'url' })}
        data={[
          { value: 'url', label: text.webhook },
          { value: 'mail', label: text.mail },
        ]}
      />
    </Input.Wrapper>
  );
}

function Target({ draft, onChange }: PartProps) {
  const text = useText(webhooksText);
  if (draft.way === 'mail')
    return (
      <Textarea
        label={text.emailTo}
        description={text.emailHint}
        required
        autosize
        minRows={2}
        maxRows={8}
        value={draft.emailTo}
        onChange={(event) => onChange({ emailTo: event.currentTarget.value })}
      />
    );
  return (
    <TextInput
      label={text.url}
      description={text.urlHint}
      type="url"
      required
      maxLength={2000}
      value={draft.url}
      onChange={(event) => onChange({ url: event.currentTarget.value })}
    />
  );
}

function Types({ draft, onChange }: PartProps) {
  const text = useText(webhooksText);
  // The texts have every type there is, in the order they are shown.
  const all = Object.keys(text.type) as EventType[];
  return (
    <Checkbox.Group
      label={text.what}
      required
      error={draft.types.length === 0 && text.whatMissing}
      value={[...draft.types]}
      onChange={(chosen) => onChange({ types: all.filter((type) => chosen.includes(type)) })}
    >
      <Stack gap="xs" my="xs">
        {all.map((type) => (
          <Checkbox key={type} value={type} label={text.type[type]} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

function Narrowing({ draft, onChange }: PartProps) {
  const text = useText(webhooksText);
  const zones = useZones().data ?? [];
  const [isOpen, setOpen] = useState(draft.zoneIds.length > 0 || draft.caPem !== '');
  return (
    <>
      <Switch
        label={text.critical}
        checked={draft.onlyCritical}
        onChange={(event) => onChange({ onlyCritical: event.currentTarget.checked })}
      />
      <Button variant="subtle" size="compact-sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {text.more}
      </Button>
      <Collapse expanded={isOpen}>
        <Stack>
          <MultiSelect
            label={text.zones}
            description={text.zonesHint}
            searchable
            clearable
            data={zones.map(({ id, name }) => ({ value: id, label: name.slice(0, 80) }))}
            value={[...draft.zoneIds]}
            onChange={(zoneIds) => onChange({ zoneIds })}
          />
          {draft.way === 'url' && <OwnAuthority draft={draft} onChange={onChange} />}
        </Stack>
      </Collapse>
    </>
  );
}

function OwnAuthority({ draft, onChange }: PartProps) {
  const text = useText(webhooksText);
  return (
    <Textarea
      label={text.ca}
      description={text.caHint}
      autosize
      minRows={2}
      maxRows={6}
      value={draft.caPem}
      onChange={(event) => onChange({ caPem: event.currentTarget.value })}
    />
  );
}
