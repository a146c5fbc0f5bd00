import { Drawer } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { type ReactNode, type RefObject, useRef } from 'react';
import { useIsPhone } from './use-is-phone.ts';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Once it is out of sight. Whoever says so gives the focus back; else it returns to what opened it. */
  readonly onClosed?: () => void;
  /** A dialog is open over it. When that is gone the focus is in here again, whatever became of what opened it. */
  readonly isCovered?: boolean;
  /** A text is shown as what it is, however long. */
  readonly title: ReactNode;
  /** Its width, px or by name; on a phone it is as wide as the page. */
  readonly size?: number | 'md' | 'lg';
  readonly children: ReactNode;
}

/** Details beside a page. Escape closes it only where nothing else is open over it. */
export function SideDrawer(props: Props) {
  const { opened, onClose, onClosed, isCovered = false, title, size = 480, children } = props;
  const isPhone = useIsPhone();
  const inside = useEscape(() => opened && onClose());
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      closeOnEscape={false}
      trapFocus={!isCovered}
      returnFocus={onClosed === undefined}
      {...(onClosed && { onExitTransitionEnd: onClosed })}
      position="right"
      size={isPhone ? '100%' : size}
      title={typeof title === 'string' ? <span className="anything">{title}</span> : title}
    >
      <div ref={inside}>{children}</div>
    </Drawer>
  );
}

/**
 * Calls `close` when Escape is pressed within the dialog that has the answered element in it, or nowhere in particular while
 * that dialog is the uppermost. The library closes every open dialog at once: a question over a drawer would take the drawer
 * along, and one that is asked because of the key would be gone with the same key.
 */
function useEscape(close: () => void): RefObject<HTMLDivElement | null> {
  const inside = useRef<HTMLDivElement>(null);
  useWindowEvent(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing || !(event.target instanceof Element)) return;
      // An open list closes itself.
      if (event.target.getAttribute('data-mantine-stop-propagation') === 'true') return;
      const dialog = event.target.closest('[role="dialog"]') ?? uppermost();
      if (dialog?.contains(inside.current)) setTimeout(close);
    },
    { capture: true },
  );
  return inside;
}

// By height, then by place in the page, which is that of being made and not of being opened.
const uppermost = () =>
  [...document.querySelectorAll('[role="dialog"][aria-modal="true"]')]
    .toSorted((a, b) => heightOf(a) - heightOf(b))
    .at(-1);

// What the library hands down to all that a dialog is made of.
const heightOf = (dialog: Element) => Number(getComputedStyle(dialog).getPropertyValue('--mb-z-index'));
