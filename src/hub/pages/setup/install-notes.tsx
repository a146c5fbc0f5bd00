import { Accordion, Code, Stack, Text, Title } from '@mantine/core';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { useConfiguration } from '../admin/use-system.ts';
import { brokerAt, isLoopback } from './broker-address.ts';

/** What to do on the reader with its identity files, and how to try it without one. The address is the one this page came from. */
export function InstallNotes({ serial }: { readonly serial: string }) {
  const text = useText(setupText);
  const port = useConfiguration().data?.find(({ key }) => key === 'mqtts.port')?.value;
  const isHere = isLoopback(location.hostname);
  const broker = brokerAt(isHere ? text.hostHere : location.hostname, port);
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {text.filesWhere}
      </Title>
      <Text size="sm">{text.filesHow}</Text>
      <Lines text={`tar -xpf ${serial}.tar -C /cust/rw_dir`} />
      <Text size="sm">{text.optionsHow}</Text>
      <Lines text={`echo '--broker ${broker}' > /cust/rw_dir/agent.options`} />
      {isHere && <Text size="sm">{text.hostHow}</Text>}
      <Text size="sm">{text.agentHow}</Text>
      <Accordion variant="contained">
        <Accordion.Item value="none">
          <Accordion.Control>{text.noReader}</Accordion.Control>
          <Accordion.Panel>
            <Stack gap="xs">
              <Text size="sm">{text.standInHow}</Text>
              <Lines text={standIn(brokerAt('localhost', port))} />
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  );
}

const standIn = (broker: string): string =>
  [
    'tagkeep simulate --stand-in --identity . --local-port 9443',
    `tagkeep agent --dir . --broker ${broker} --reader https://127.0.0.1:9443`,
  ].join('\n');

function Lines({ text }: { readonly text: string }) {
  return (
    <Code block style={{ whiteSpace: 'pre-wrap' }} className="anything">
      {text}
    </Code>
  );
}
