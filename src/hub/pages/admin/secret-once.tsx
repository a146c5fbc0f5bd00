import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { adminText } from '../../text/admin.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { useCopy } from '../../ui/use-copy.ts';

interface Props {
  readonly label: string;
  readonly secret: string;
  readonly onTaken: () => void;
}

/** A secret that is answered once: it stays until somebody says that it is copied. */
export function SecretOnce({ label, secret, onTaken }: Props) {
  const text = useText(adminText);
  const common = useText(commonText);
  const { isCopied, copy } = useCopy(secret);
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
          <Button
            onClick={copy}
            leftSection={isCopied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          >
            {isCopied ? common.copied : common.copy}
          </Button>
          <Button variant="default" onClick={onTaken}>
            {text.taken}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
