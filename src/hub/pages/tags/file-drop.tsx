import { Button, FileButton, Paper, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, useState } from 'react';
import { useText } from '../../text/language.ts';
import { importText } from '../../text/tags.ts';

interface Props {
  readonly onFile: (file: File | null | undefined) => void;
}

/** Where a file is dropped, or chosen by its button. */
export function FileDrop({ onFile }: Props) {
  const text = useText(importText);
  const [isOver, setIsOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    onFile(event.dataTransfer.files[0]);
  };
  return (
    <Paper
      withBorder
      p="xl"
      bg={isOver ? 'var(--mantine-color-petrol-light)' : undefined}
      style={{ borderStyle: 'dashed' }}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Stack align="center" gap="sm" ta="center">
        <IconUpload size={28} aria-hidden />
        <Text>{text.drop}</Text>
        <FileButton
          onChange={onFile}
          accept=".csv,text/csv,text/plain"
          inputProps={{ 'aria-label': text.pick }}
        >
          {(props) => (
            <Button {...props} data-autofocus>
              {text.pick}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          {text.what}
        </Text>
      </Stack>
    </Paper>
  );
}
