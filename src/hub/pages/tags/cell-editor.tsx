import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import styles from './grid.module.css';
import { type After, useGrid } from './grid-context.ts';

interface Props {
  readonly name: string;
  readonly start: string;
}

function afterOf(event: KeyboardEvent): After | null {
  if (event.key === 'Tab') return event.shiftKey ? 'left' : 'right';
  // A line break is typed with Shift or Alt, as in other spreadsheets.
  return event.key === 'Enter' && !event.shiftKey && !event.altKey ? 'down' : null;
}

/** The value of a cell while it is typed. Leaving it keeps what was typed; only Escape does not. */
export function CellEditor({ name, start }: Props) {
  const { commit, cancel } = useGrid();
  const [text, setText] = useState(start);
  const field = useRef<HTMLTextAreaElement>(null);
  // The field loses the focus also by going away, which is no second end.
  const isOver = useRef(false);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(start.length, start.length);
  }, [start]);
  const end = (how: () => void) => {
    if (isOver.current) return;
    isOver.current = true;
    how();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    // Return ends a word of an input method (Japanese, Chinese), not the value.
    if (event.nativeEvent.isComposing) return;
    const after = afterOf(event);
    if (!after && event.key !== 'Escape') return;
    event.preventDefault();
    end(() => (after ? commit(text, after) : cancel()));
  };
  return (
    <textarea
      ref={field}
      className={styles.editor}
      aria-label={name}
      dir="auto"
      rows={1}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={() => end(() => commit(text, 'stay'))}
      onCopy={(event) => event.stopPropagation()}
      onPaste={(event) => event.stopPropagation()}
    />
  );
}
