import { Alert, Button, Group, List, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import type { Antenna } from '../../../contract/antenna.ts';
import { commonText } from '../../text/common.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { decimal } from '../../time/numbers.ts';
import type { Clash } from './antenna-clash.ts';

interface Props {
  readonly antennas: readonly Antenna[];
  readonly clashes: readonly Clash[];
  /** Their values are taken, or the own ones kept. */
  readonly onTheirs: () => void;
  readonly onMine: () => void;
}

/** Says which settings somebody else has saved since they were edited here, and asks which are to hold. */
export function AntennaClashNote({ antennas, clashes, onTheirs, onMine }: Props) {
  const text = useText(readersText);
  const line = useLine();
  if (clashes.length === 0) return null;
  return (
    <Alert color="orange" role="alert" icon={<IconUsers aria-hidden />} title={text.clash}>
      <List size="sm" className="anything">
        {antennas.flatMap((antenna) =>
          clashes
            .filter(({ port }) => port === antenna.port)
            .map(({ field }) => (
              <List.Item key={`${antenna.port} ${field}`}>{line(antenna, field)}</List.Item>
            )),
        )}
      </List>
      <Text size="sm" my="xs">
        {text.clashWhat}
      </Text>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={onTheirs}>
          {text.takeTheirs}
        </Button>
        <Button size="compact-sm" variant="default" onClick={onMine}>
          {text.keepMine}
        </Button>
      </Group>
    </Alert>
  );
}

const CDBM = 100;

/** "Port 1, Power (dBm): now 24.00" */
function useLine(): (antenna: Antenna, field: Clash['field']) => string {
  const text = useText(readersText);
  const common = useText(commonText);
  const { language } = useLanguage();
  return (antenna, field) => {
    const said: Readonly<Record<Clash['field'], readonly [label: string, value: string]>> = {
      enabled: [text.enabled, antenna.enabled ? common.yes : common.no],
      zoneId: [text.zone, antenna.zoneName ?? text.noZone],
      powerDbm: [text.power, decimal(antenna.transmitPowerCdbm / CDBM, language, 2)],
      population: [text.population, decimal(antenna.tagPopulation, language, 0)],
      session: [text.session, String(antenna.inventorySession)],
      searchMode: [text.mode, text.modes[antenna.searchMode]],
    };
    return text.clashLine(text.port(antenna.port), ...said[field]);
  };
}
