import { Tooltip } from '@mantine/core';
import { useSites } from '../api/queries.ts';
import { useLanguage } from '../text/language.ts';
import { exact, type Place, relative } from './format.ts';
import { useNow } from './now.ts';

/** The language of the page and the zone of the site, in which all times are shown. */
export function usePlace(): Place {
  const { language } = useLanguage();
  return { language, timeZone: useSites().data?.[0]?.timeZone };
}

/** A time as "5 minutes ago", with the exact time in the site's zone on hover and for screen readers. `at` is ISO 8601. */
export function When({ at }: { readonly at: string }) {
  const now = useNow();
  const place = usePlace();
  const ms = Date.parse(at);
  return (
    <Tooltip label={exact(ms, place)} withArrow events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at} className="figures">
        {relative(Math.min(ms, ms > now + 5000 ? ms : now), now, place.language)}
      </time>
    </Tooltip>
  );
}
