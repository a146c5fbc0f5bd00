import { Text } from '@mantine/core';
import {
  IconAntennaBars2,
  IconAntennaBars3,
  IconAntennaBars5,
  IconAntennaBarsOff,
} from '@tabler/icons-react';
import type { StrongestTag } from '../../../contract/radio.ts';
import { assetActionsText } from '../../text/asset-actions.ts';
import { useLanguage, useText } from '../../text/language.ts';
import { decimal, number } from '../../time/numbers.ts';
import { signalOf } from './signal.ts';

const icons = {
  strong: IconAntennaBars5,
  good: IconAntennaBars3,
  weak: IconAntennaBars2,
  unknown: IconAntennaBarsOff,
} as const;

/** How strongly a tag is heard: in a word, with the figure beside it. */
export function SignalWord({ tag }: { readonly tag: StrongestTag }) {
  const text = useText(assetActionsText);
  const { language } = useLanguage();
  const signal = signalOf(tag.rssiCdbm);
  const Icon = icons[signal];
  const dbm = tag.rssiCdbm === null ? '' : ` · ${decimal(tag.rssiCdbm / 100, language)} dBm`;
  return (
    <Text component="span" size="xs" className="figures">
      <Icon size={16} aria-hidden style={{ verticalAlign: 'text-bottom' }} /> {text.signals[signal]}
      {dbm} · {text.reads(tag.reads, number(tag.reads, language))}
    </Text>
  );
}
