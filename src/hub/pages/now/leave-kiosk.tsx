import { ActionIcon, Button, Group, Modal } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useText } from '../../text/language.ts';
import { nowText } from '../../text/now.ts';
import classes from './kiosk.module.css';

/** A question nobody answers goes away. */
const ASKING_MS = 15_000;

/** The way out of the wall screen: in two steps, so that nobody takes it who only touched the screen. */
export function LeaveKiosk() {
  const text = useText(nowText);
  const [, go] = useLocation();
  const [isAsking, ask] = useState(false);
  useEffect(() => {
    if (!isAsking) return;
    const timer = setTimeout(() => ask(false), ASKING_MS);
    return () => clearTimeout(timer);
  }, [isAsking]);
  return (
    <>
      <ActionIcon
        variant="transparent"
        size="lg"
        className={classes.leave}
        aria-label={text.leave}
        onClick={() => ask(true)}
      >
        <IconX aria-hidden />
      </ActionIcon>
      <Modal
        opened={isAsking}
        onClose={() => ask(false)}
        title={text.leaveAsk}
        withCloseButton={false}
        centered
      >
        <Group justify="flex-end">
          <Button data-autofocus variant="default" onClick={() => ask(false)}>
            {text.stay}
          </Button>
          <Button onClick={() => go('/now')}>{text.leaveYes}</Button>
        </Group>
      </Modal>
    </>
  );
}
