import { Accordion, Code, Stack, Text, Title } from '@mantine/core';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';

/** What to do on the reader with its identity files, and how to try it without one. The address is the one this page came from. */
export function InstallNotes({ serial }: { readonly serial: string }) {
  const text = useText(setupText);
  const broker = `mqtts://${location.hostname}:8883`;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {text.filesWhere}
      </Title>
      <Text size="sm">{text.filesHow}</Text>
      <Lines text={`tar -xpf ${serial}.tar -C /cust/rw_dir`} />
      <Text size="sm">{text.optionsHow}</Text>
      <Lines text={`echo '--broker ${broker}' > /cust/rw_dir/agent.options`} />
      <Text size="sm">{text.agentHow}</Text>
      <Accordion variant="contained">
        <Accordion.Item value="none">
          <Accordion.Control>{text.noReader}</Accordion.Control>
          <Accordion.Panel>
            <Stack gap="xs">
              <Text size="sm">{text.standInHow}</Text>
              <Lines
                text={[
                  'tagkeep simulate --stand-in --identity . --local-port 9443',
                  'tagkeep agent --dir . --broker mqtts://localhost:8883 --reader https://127.0.0.1:9443',
                ].join('\n')}
              />
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  );
}

function Lines({ text }: { readonly text: string }) {
  return (
    <Code block style={{ whiteSpace: 'pre-wrap' }} className="anything">
      {text}
    </Code>
  );
}
