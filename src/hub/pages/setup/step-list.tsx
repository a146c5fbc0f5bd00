import { VisuallyHidden } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import classes from './setup-page.module.css';
import { type Step, steps } from './steps.ts';

interface Props {
  readonly here: Step;
  readonly done: Readonly<Record<Step, boolean>>;
  readonly readerId: string | undefined;
}

/** All steps, with what is done; any of them can be gone to. */
export function StepList({ here, done, readerId }: Props) {
  const text = useText(setupText);
  const suffix = readerId ? `/${readerId}` : '';
  return (
    <nav aria-label={text.stepList}>
      <ol className={classes.list}>
        {steps.map((step, at) => (
          <li key={step}>
            <Link
              href={`/setup/${step}${suffix}`}
              className={classes.step ?? ''}
              aria-current={step === here ? 'step' : undefined}
            >
              <span className={classes.no}>
                {done[step] ? (
                  <IconCircleCheck size={22} aria-hidden color="var(--mantine-color-green-light-color)" />
                ) : (
                  at + 1
                )}
              </span>
              <span className={classes.name}>{text.steps[step]}</span>
              {done[step] && <VisuallyHidden>({text.done})</VisuallyHidden>}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
