import { useText } from '../../text/language.ts';
import { shellText } from '../../text/shell.ts';
import { Page } from '../../ui/page.tsx';

export function AdminPage() {
  const text = useText(shellText);
  return <Page title={text.admin}>{null}</Page>;
}
