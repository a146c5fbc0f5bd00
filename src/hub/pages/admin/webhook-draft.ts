import type { Webhook } from '../../../contract/webhook.ts';

export type EventType = Webhook['types'][number];

/** What the form of a subscription holds, as it is typed. */
export interface Draft {
  readonly way: 'url' | 'mail';
  readonly url: string;
  /** One address in each line. */
  readonly emailTo: string;
  readonly types: readonly EventType[];
  readonly onlyCritical: boolean;
  readonly zoneIds: readonly string[];
  readonly caPem: string;
}

/** A new subscription begins with what somebody on duty wants to know. */
export const emptyDraft: Draft = {
  way: 'url',
  ...{ url: '', emailTo: '', caPem: '' },
  types: ['alert_opened', 'alert_resolved'],
  onlyCritical: false,
  zoneIds: [],
};

/** A subscription as its form shows it. */
export function draftOf({ url, emailTo, types, severities, zoneIds, caPem }: Webhook): Draft {
  return {
    way: url === null ? 'mail' : 'url',
    url: url ?? '',
    emailTo: (emailTo ?? []).join('\n'),
    types,
    onlyCritical: severities?.length === 1 && severities[0] === 'critical',
    zoneIds: zoneIds ?? [],
    caPem: caPem ?? '',
  };
}

/** The body for POST and PATCH. What the form does not show (assets, paused) is left as it is. */
export function bodyOf(draft: Draft): object {
  const isMail = draft.way === 'mail';
  return {
    ...(isMail ? { emailTo: addresses(draft.emailTo) } : { url: draft.url.trim() }),
    types: draft.types,
    severities: draft.onlyCritical ? ['critical'] : null,
    zoneIds: draft.zoneIds.length > 0 ? draft.zoneIds : null,
    ...(!isMail && { caPem: draft.caPem.trim() || null }),
  };
}

function addresses(text: string): readonly string[] {
  return text.split(/[\s,;]+/).filter((one) => one !== '');
}
