import { Alert, Button, Paper, Stack, Title } from '@mantine/core';
import type { ComponentType } from 'react';
import { Redirect, useLocation, useRoute } from 'wouter';
import { useIsAdmin } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { setupText } from '../../text/setup.ts';
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
      {standing ? <Steps named={stepNamed(params?.step ?? '')} standing={standing} /> : <Loading />}
    </Page>
  );
}

interface StepsProps {
  readonly named: Step | null;
  readonly standing: SetupStanding;
}

function Steps({ named, standing }: StepsProps) {
  const text = useText(setupText);
  const [, navigate] = useLocation();
  const { done, reader } = standing;
  if (!named) return <Redirect to={`/setup/${firstOpen(done)}`} replace />;
  const Part = parts[named];
  const following = steps[steps.indexOf(named) + 1] ?? 'check';
  const suffix = (id: string | undefined) => (id ? `/${id}` : '');
  const next = (readerId?: string) => navigate(`/setup/${following}${suffix(readerId ?? reader?.id)}`);
  return (
    <div className={classes.columns}>
      <StepList here={named} done={done} readerId={reader?.id} />
      <Paper withBorder p={{ base: 'md', sm: 'xl' }}>
        <Stack>
          <Title order={2} size="h3">
            {text.steps[named]}
          </Title>
          <Part key={named} reader={reader} isDone={done[named]} next={next} />
        </Stack>
      </Paper>
    </div>
  );
}
