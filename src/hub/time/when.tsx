import { Tooltip } from '@mantine/core';
import { createContext, use } from 'react';
import { homeOf, useSites } from '../api/queries.ts';
import { useLanguage } from '../text/language.ts';
import { exact, type Place, relative } from './format.ts';
import { useNow } from './now.ts';

/** IANA name of the zone of the site that a part of a page is about; null: it is about none. */
export const SiteZoneContext = createContext<string | null>(null);

/** The language of the page and the zone in which times are shown: of the site it is about, else of the oldest one. */
export function usePlace(): Place {
  const { language } = useLanguage();
  const own = use(SiteZoneContext);
  const sites = useSites().data ?? [];
  return { language, timeZone: own ?? homeOf(sites)?.timeZone };
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
