import { Select } from '@mantine/core';
import type { Site } from '../../api/queries.ts';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import type { GoOnFloor } from './use-floor-address.ts';

interface Props {
  readonly site: Site;
  readonly sites: readonly Site[];
  readonly go: GoOnFloor;
}

const NAME_MAX = 60;

/** Another site, where there are several. */
export function SiteChoice({ site, sites, go }: Props) {
  const text = useText(floorText);
  if (sites.length < 2) return null;
  return (
    <Select
      aria-label={text.site}
      data={sites.map(({ id, name }) => ({ value: id, label: name.slice(0, NAME_MAX) }))}
      value={site.id}
      onChange={(id) => id && go({ site: id, zone: '', edit: '' })}
      allowDeselect={false}
    />
  );
}
