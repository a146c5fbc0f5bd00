import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';

interface Props {
  readonly label: string;
  readonly secret: string;
  readonly onTaken: () => void;
}

/** A secret that is answered once: it stays until somebody says that it is copied. */
export function SecretOnce({ label, secret, onTaken }: Props) {
  const text = useText(adminText);
  const place = useRef<HTMLDivElement>(null);
  // It may come below the end of what is seen. Newer browsers answer a promise, which is no clean-up.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <Alert ref={place} color="orange" icon={<IconAlertTriangle aria-hidden />} title={label} role="status">
      <Stack gap="sm">
        <Text size="sm">{text.once}</Text>
        <Code block className="anything" style={{ whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        <Group gap="sm">
          <CopyButton value={secret} timeout={4000}>
            {({ copied, copy }) => (
              <Button
                onClick={copy}
                leftSection={
                  copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
                }
              >
                {copied ? text.copied : text.copy}
              </Button>
            )}
          </CopyButton>
          <Button variant="default" onClick={onTaken}>
            {text.taken}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
