import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AssetEvent } from '../../../contract/asset.ts';
import { assetsText } from '../../text/assets.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';

const Line = ({ children }: { readonly children: ReactNode }) => (
  <Text size="sm" component="div" className="anything">
    {children}
  </Text>
);

type Changes = NonNullable<AssetEvent['meta']['changes']>;

function Changed({ changes }: { readonly changes: Changes }) {
  const text = useText(assetsText);
  const names: Readonly<Record<string, string>> = text.fields;
  return Object.entries(changes).map(([field, { from, to }]) => (
    <Line key={field}>
      {text.changedTo(names[field] ?? field)} <bdi>{from || text.emptyValue}</bdi> →{' '}
      <bdi>{to || text.emptyValue}</bdi>
    </Line>
  ));
}

function CheckedOut({ meta }: { readonly meta: AssetEvent['meta'] }) {
  const text = useText(assetsText);
  return (
    <>
      <Line>
        {text.to} <bdi>{meta.custodian ?? text.someone}</bdi>
      </Line>
      {meta.expectedReturnAt && (
        <Line>
          {text.due} <When at={meta.expectedReturnAt} />
        </Line>
      )}
    </>
  );
}

/** What an entry of the history tells beyond its kind. */
export function EventDetail({ event: { kind, meta } }: { readonly event: AssetEvent }) {
  const text = useText(assetsText);
  if (kind === 'created') {
    if (meta.changes) return <Changed changes={meta.changes} />;
    return meta.name ? <Line>{meta.name}</Line> : null;
  }
  if (kind === 'check_out') return <CheckedOut meta={meta} />;
  if (kind === 'check_in' && meta.custodian)
    return (
      <Line>
        {text.from} <bdi>{meta.custodian}</bdi>
      </Line>
    );
  if (meta.lastSeenAt)
    return (
      <Line>
        {text.wasSeen} <When at={meta.lastSeenAt} />
      </Line>
    );
  return meta.epc ? (
    <Line>
      {text.released} <span className="code">{meta.epc}</span>
    </Line>
  ) : null;
}
