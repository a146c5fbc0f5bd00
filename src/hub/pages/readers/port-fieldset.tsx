import { Fieldset, NumberInput, Select, SimpleGrid, Stack, Switch } from '@mantine/core';
import type { Antenna } from '../../../contract/antenna.ts';
import { useSites, useZones } from '../../api/queries.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { decimal } from '../../time/numbers.ts';
import {
  type Draft,
  type Fault,
  type PortFields,
  ranges,
  searchModes,
  shownFields,
} from './antenna-draft.ts';

interface Props {
  readonly antenna: Antenna;
  readonly draft: Draft;
  readonly faults: readonly Fault[];
  readonly isFixed: boolean;
  readonly onEdit: (edit: Partial<PortFields>) => void;
}

interface FieldProps {
  readonly fields: PortFields;
  readonly isFixed: boolean;
  readonly onEdit: Props['onEdit'];
}

/** The settings of one port. */
export function PortFieldset(props: Props) {
  const { antenna, draft, isFixed, onEdit } = props;
  const text = useText(readersText);
  const fields = shownFields(antenna, draft);
  const own = { fields, isFixed, onEdit };
  return (
    <Fieldset legend={text.port(antenna.port)} disabled={isFixed}>
      <Stack gap="sm">
        <Switch
          label={text.enabled}
          aria-label={text.enabledOf(antenna.port)}
          checked={fields.enabled}
          onChange={(event) => onEdit({ enabled: event.currentTarget.checked })}
        />
        <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="sm">
          <ZoneField {...own} />
          <PowerField {...props} fields={fields} />
          <PopulationField {...props} fields={fields} />
          <SessionField {...own} />
          <ModeField {...own} />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}

function ZoneField({ fields, isFixed, onEdit }: FieldProps) {
  const text = useText(readersText);
  const zones = useZones().data ?? [];
  const sites = useSites().data ?? [];
  const optionsOf = (siteId: string) =>
    zones.filter((zone) => zone.siteId === siteId).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      label={text.zone}
      placeholder={text.noZone}
      disabled={isFixed}
      clearable
      searchable
      data={
        // Zones of two sites may have the same name.
        sites.length > 1
          ? sites.map(({ id, name }) => ({ group: name, items: optionsOf(id) }))
          : zones.map(({ id, name }) => ({ value: id, label: name }))
      }
      value={fields.zoneId}
      onChange={(zoneId) => onEdit({ zoneId })}
    />
  );
}

const CDBM = 100;

/** While it is typed the field tells 27.10 as text: its last digit would be lost in a number. */
const numberIn = (typed: number | string): number | string =>
  typeof typed === 'string' && /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : typed;

function PowerField({ antenna, fields, faults, isFixed, onEdit }: Props & { readonly fields: PortFields }) {
  const text = useText(readersText);
  const { language } = useLanguage();
  const isFault = faults.some(({ port, field }) => port === antenna.port && field === 'powerDbm');
  const { effectivePowerCdbm: effective, transmitPowerCdbm } = antenna;
  // What the reader makes of it is known for what is saved, and worth a word only where it differs.
  const isOff = effective !== transmitPowerCdbm && fields.powerDbm === transmitPowerCdbm / CDBM;
  return (
    <NumberInput
      label={text.power}
      description={isOff ? text.effective(decimal(effective / CDBM, language, 2)) : text.powerRange}
      disabled={isFixed}
      value={fields.powerDbm}
      onChange={(typed) => onEdit({ powerDbm: numberIn(typed) })}
      error={isFault ? text.powerFault : null}
      clampBehavior="none"
      decimalScale={2}
      fixedDecimalScale
      decimalSeparator={language === 'de' ? ',' : '.'}
      allowedDecimalSeparators={['.', ',']}
      step={0.25}
      startValue={ranges.powerDbm.min}
      hideControls
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  );
}

function PopulationField({
  antenna,
  fields,
  faults,
  isFixed,
  onEdit,
}: Props & { readonly fields: PortFields }) {
  const text = useText(readersText);
  const isFault = faults.some(({ port, field }) => port === antenna.port && field === 'population');
  return (
    <NumberInput
      label={text.population}
      disabled={isFixed}
      value={fields.population}
      onChange={(population) => onEdit({ population })}
      error={isFault ? text.populationFault : null}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      hideControls
    />
  );
}

const sessions = Array.from({ length: ranges.session.max + 1 }, (_, at) => String(at));

function SessionField({ fields, isFixed, onEdit }: FieldProps) {
  const text = useText(readersText);
  return (
    <Select
      label={text.session}
      disabled={isFixed}
      allowDeselect={false}
      data={sessions}
      value={String(fields.session)}
      onChange={(session) => onEdit({ session: Number(session) })}
    />
  );
}

function ModeField({ fields, isFixed, onEdit }: FieldProps) {
  const text = useText(readersText);
  return (
    <Select
      label={text.mode}
      disabled={isFixed}
      allowDeselect={false}
      data={searchModes.map((value) => ({ value, label: text.modes[value] }))}
      value={fields.searchMode}
      onChange={(searchMode) => searchMode && onEdit({ searchMode })}
    />
  );
}
