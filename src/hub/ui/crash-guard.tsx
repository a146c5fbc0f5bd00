import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';

/** Keeps a page that fails from taking the rest of the hub with it. A new `key` begins anew. */
export class CrashGuard extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    return this.state.error === null ? this.props.children : <Crashed error={this.state.error} />;
  }
}

function Crashed({ error }: { readonly error: unknown }) {
  const text = useText(commonText);
  return (
    <Alert color="red" title={text.crashed} role="alert">
      <Stack align="flex-start" gap="sm">
        <Text size="sm">{String(error)}</Text>
        <Button size="compact-sm" variant="default" onClick={() => location.reload()}>
          {text.reload}
        </Button>
      </Stack>
    </Alert>
  );
}
