import { Stack } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useText } from '../../text/language.ts';
import { shellText } from '../../text/shell.ts';
import { Page } from '../../ui/page.tsx';
import { AntennaSection } from './antenna-section.tsx';
import { CrossReadSection } from './cross-read-section.tsx';
import type { Trial } from './trial.ts';
import { WhatIfSection } from './what-if-section.tsx';

const firstTrial: Trial = { policy: 'stable', zoneId: '', seconds: 300 };

/** What antennas hear, what two zones hear both, and what another policy would make of it. */
export function RadioPage() {
  const text = useText(shellText);
  const [trial, setTrial] = useState(firstTrial);
  const tryStable = useCallback((zoneId: string) => {
    setTrial({ ...firstTrial, zoneId });
    document.getElementById('what-if')?.scrollIntoView({ block: 'start' });
    document.querySelector<HTMLElement>('#what-if button[type=submit]')?.focus();
  }, []);
  return (
    <Page title={text.radio}>
      <Stack gap="lg">
        <AntennaSection />
        <CrossReadSection tryStable={tryStable} />
        <WhatIfSection trial={trial} onChange={setTrial} />
      </Stack>
    </Page>
  );
}
