import { useCallback } from 'react';
import { useLocation, useRoute, useSearch } from 'wouter';
import { useCanWrite, useFields } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { AddTag } from './add-tag.tsx';
import { epcOf, tagHref } from './epc-input.ts';
import { ImportDrawer } from './import-drawer.tsx';
import { PageActions } from './page-actions.tsx';
import { TagDrawer } from './tag-drawer.tsx';
import { TagTable } from './tag-table.tsx';
import { useTable } from './use-table.ts';

/** What stands in the address after `/tags/`: nothing, `import`, `new`, or an EPC. */
function usePart() {
  const [, params] = useRoute('/tags/:part');
  return params?.part ?? '';
}

/** The tags as a spreadsheet; `/tags/{epc}` opens one of them, `/tags/import` the import. */
export function TagsPage() {
  const text = useText(tagsText);
  const fields = useFields();
  const part = usePart();
  const search = useSearch();
  const [, go] = useLocation();
  const canWrite = useCanWrite();
  const table = useTable();
  const suffix = search && `?${search}`;
  const close = useCallback(() => go(`/tags${suffix}`), [go, suffix]);
  const epc = epcOf(part);
  return (
    <Page title={text.title} actions={<PageActions canWrite={canWrite} suffix={suffix} />}>
      <Loaded query={fields}>
        {(data) => <TagTable fields={data} table={table} onOpen={(one) => go(tagHref(one) + suffix)} />}
      </Loaded>
      <AddTag opened={part === 'new'} onClose={close} onAdded={(one) => go(tagHref(one) + suffix)} />
      <ImportDrawer opened={part === 'import'} onClose={close} onDone={table.reload} />
      <TagDrawer epc={epc} fields={fields.data ?? []} onClose={close} />
    </Page>
  );
}
