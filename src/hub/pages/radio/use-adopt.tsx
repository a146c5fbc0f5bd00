import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Zone } from '../../../contract/zone.ts';
import { call } from '../../api/call.ts';
import { useText } from '../../text/language.ts';
import { radioText } from '../../text/radio.ts';
import { useAction } from '../../ui/use-action.ts';

type Policy = Zone['locationPolicy'];

interface Change {
  readonly zones: readonly Pick<Zone, 'id' | 'locationPolicy'>[];
}

// One after the other: a refusal leaves those before it changed, and the list that is asked for again says so.
async function putPolicies({ zones }: Change): Promise<void> {
  for (const { id, locationPolicy } of zones)
    await call('PATCH', `/zones/${encodeURIComponent(id)}`, { body: { locationPolicy } });
}

const changes = [['zones'], ['radio']];

/** Gives zones a location policy; what is said then offers to undo it. */
export function useAdopt() {
  const text = useText(radioText);
  const undo = useAction({ run: putPolicies, changes, done: text.undone });
  const adopt = useAction({
    run: ({ zones, policy }: { zones: readonly Zone[]; policy: Exclude<Policy, null> }) =>
      putPolicies({ zones: zones.map(({ id }) => ({ id, locationPolicy: policy })) }),
    changes,
    onDone: (_, { zones, policy }) =>
      say(text.adopted(text.policies[policy], zones.length), text.undo, () => undo.mutate({ zones })),
  });
  return adopt;
}

function say(message: string, undo: string, run: () => void): void {
  const id = notifications.show({
    color: 'green',
    autoClose: 15_000,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            run();
          }}
        >
          {undo}
        </Button>
      </Group>
    ),
  });
}
