import { Alert, Button, Paper, Stack, Title } from '@mantine/core';
import { type ComponentType, useEffect, useRef } from 'react';
import { Redirect, useLocation, useRoute } from 'wouter';
import { useIsAdmin } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { CheckStep } from './check-step.tsx';
import { goLater } from './later.ts';
import { PasswordStep } from './password-step.tsx';
import { PlaceStep } from './place-step.tsx';
import { PortsStep } from './ports-step.tsx';
import { ReaderStep } from './reader-step.tsx';
import classes from './setup-page.module.css';
import { StepList } from './step-list.tsx';
import type { StepProps } from './step-props.ts';
import { firstOpen, type Step, stepNamed, steps } from './steps.ts';
import { type SetupStanding, useStanding } from './use-standing.ts';
import { ZonesStep } from './zones-step.tsx';

const parts: Readonly<Record<Step, ComponentType<StepProps>>> = {
  password: PasswordStep,
  place: PlaceStep,
  zones: ZonesStep,
  reader: ReaderStep,
  ports: PortsStep,
  check: CheckStep,
};

/** /setup/{step}/{reader}: from the first password to live reads. What is done is asked of the appliance. */
export function SetupPage() {
  const text = useText(setupText);
  const isAdmin = useIsAdmin();
  const [, navigate] = useLocation();
  const [, params] = useRoute('/setup/:step?/:reader?');
  const standing = useStanding(params?.reader);
  const later = () => {
    goLater();
    navigate('/now');
  };
  return (
    <Page
      title={text.title}
      actions={
        <Button variant="default" onClick={later}>
          {text.later}
        </Button>
      }
    >
      {!isAdmin && <Alert color="gray">{text.adminOnly}</Alert>}
      <Loaded query={standing}>
        {(known) => <Steps named={stepNamed(params?.step ?? '')} standing={known} />}
      </Loaded>
    </Page>
  );
}

/** The heading of a step, which has the focus when its step was gone to: the button that led there is gone. */
function useHeading(named: Step | null) {
  const heading = useRef<HTMLHeadingElement>(null);
  const former = useRef(named);
  useEffect(() => {
    if (former.current !== null && former.current !== named) heading.current?.focus();
    former.current = named;
  }, [named]);
  return heading;
}

interface StepsProps {
  readonly named: Step | null;
  readonly standing: SetupStanding;
}

function Steps({ named, standing }: StepsProps) {
  const text = useText(setupText);
  const [, navigate] = useLocation();
  const { done, reader, isWhole } = standing;
  const heading = useHeading(named);
  if (!named) return isWhole ? <Redirect to={`/setup/${firstOpen(done)}`} replace /> : <Loading />;
  const Part = parts[named];
  const following = steps[steps.indexOf(named) + 1] ?? 'check';
  const suffix = (id: string | undefined) => (id ? `/${id}` : '');
  const next = (readerId?: string) => navigate(`/setup/${following}${suffix(readerId ?? reader?.id)}`);
  return (
    <div className={classes.columns}>
      <StepList here={named} done={done} readerId={reader?.id} />
      <Paper withBorder p={{ base: 'md', sm: 'xl' }}>
        <Stack>
          <Title ref={heading} tabIndex={-1} order={2} size="h3" style={{ outline: 'none' }}>
            {text.steps[named]}
          </Title>
          <Part key={named} reader={reader} isDone={done[named]} next={next} />
        </Stack>
      </Paper>
    </div>
  );
}
