import { ActionIcon } from '@mantine/core';
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react';
import { createContext, type ReactNode, use } from 'react';
import type { Floor } from '../../../contract/floor.ts';
import { apiBase } from '../../api/call.ts';
import { floorText } from '../../text/floor.ts';
import { useText } from '../../text/language.ts';
import classes from './floor.module.css';
import { useView } from './use-view.ts';

/** The drawing is so many units wide, whatever the plan's size. */
export const UNITS = 1000;
/** Where there is no plan. */
const PLAIN_RATIO = 0.6;

interface Frame {
  /** Units of the drawing that are one pixel on the screen. */
  readonly unit: number;
  /** Units of the drawing from top to bottom. */
  readonly height: number;
  /** The whole plan on the screen, px. */
  readonly size: { readonly width: number; readonly height: number };
}

const FrameContext = createContext<Frame>({ unit: 1, height: UNITS, size: { width: 1, height: 1 } });

/** How large the drawing is on the screen. */
export const useFrame = (): Frame => use(FrameContext);

interface Props {
  readonly siteId: string;
  readonly plan: Floor['plan'];
  /** SVG. */
  readonly children: ReactNode;
  /** The drawing can be worked in; else the list beside it says the same and screen readers leave it out. */
  readonly isWork?: boolean;
}

/** The plan as far as it is seen, with the drawing on it. */
export function PlanFrame({ siteId, plan, children, isWork = false }: Props) {
  const text = useText(floorText);
  const ratio = plan ? plan.height / plan.width : PLAIN_RATIO;
  const { ref, view, box, zoom, handlers } = useView(ratio);
  const frame = { unit: UNITS / Math.max(1, box.width), height: UNITS * ratio, size: box };
  return (
    <div className={classes.outer}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has no picture in it */}
      <div
        ref={ref}
        role="group"
        aria-label={text.plan}
        aria-description={text.planHelp}
        className={classes.frame}
        data-zoomed={view.scale > 1}
        style={{ aspectRatio: 1 / ratio }}
        {...handlers}
      >
        <div
          className={classes.sheet}
          data-plain={plan === null}
          style={{ left: box.left, top: box.top, width: box.width, height: box.height }}
        >
          {plan && <PlanImage siteId={siteId} version={`${plan.version}-${plan.updatedAt}`} />}
          {/* biome-ignore lint/a11y/noSvgWithoutTitle: the frame has the name, and a title would hang over the plan */}
          <svg
            viewBox={`0 0 ${UNITS} ${frame.height}`}
            className={classes.drawing}
            aria-hidden={isWork ? undefined : true}
          >
            <FrameContext value={frame}>{children}</FrameContext>
          </svg>
        </div>
      </div>
      <ZoomButtons zoom={zoom} />
    </div>
  );
}

function PlanImage({ siteId, version }: { readonly siteId: string; readonly version: string }) {
  const source = `${apiBase}/sites/${encodeURIComponent(siteId)}/floor/plan?v=${encodeURIComponent(version)}`;
  return <img src={source} alt="" draggable={false} className={classes.image} />;
}

interface ZoomProps {
  readonly zoom: { readonly in: () => void; readonly out: () => void; readonly fit: () => void };
}

function ZoomButtons({ zoom }: ZoomProps) {
  const text = useText(floorText);
  const buttons = [
    { name: text.zoomIn, run: zoom.in, icon: IconPlus },
    { name: text.zoomOut, run: zoom.out, icon: IconMinus },
    { name: text.zoomFit, run: zoom.fit, icon: IconFocusCentered },
  ];
  return (
    <div className={classes.zoom}>
      {buttons.map(({ name, run, icon: Icon }) => (
        <ActionIcon key={name} variant="default" size="lg" aria-label={name} title={name} onClick={run}>
          <Icon size={18} aria-hidden />
        </ActionIcon>
      ))}
    </div>
  );
}
