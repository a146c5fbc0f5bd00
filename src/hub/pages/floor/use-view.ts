import { useElementSize, useMergedRef } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useCallback, useRef, useState } from 'react';
import type { Point } from './geometry.ts';
import { panned, placed, type View, whole, zoomed } from './view.ts';

/** One press of a button or key. */
const STEP = 1.4;
/** Part of what is seen that an arrow key moves by. */
const PAN = 0.15;
const WHEEL = 0.0016;
/** Less than this is a click, px. */
const DRAG_PX = 4;

const arrows: Readonly<Record<string, Point>> = {
  ArrowLeft: [-PAN, 0],
  ArrowRight: [PAN, 0],
  ArrowUp: [0, -PAN],
  ArrowDown: [0, PAN],
};

/** What part of the plan is seen, and how hands change it: wheel, fingers, keys, buttons. `ratio`: height by width. */
export function useView(ratio: number) {
  const { ref: sizeRef, width, height } = useElementSize<HTMLDivElement>();
  const [view, setView] = useState<View>(whole);
  const box = placed(view, { width, height }, ratio);
  const wheelRef = useWheel(setView, ratio);
  const zoom = {
    in: () => setView((old) => zoomed(old, STEP)),
    out: () => setView((old) => zoomed(old, 1 / STEP)),
    fit: () => setView(whole),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = arrows[event.key];
    if (arrow) setView((old) => panned(old, [arrow[0] / old.scale, arrow[1] / old.scale]));
    else if (event.key === '+' || event.key === '=') zoom.in();
    else if (event.key === '-') zoom.out();
    else if (event.key === '0') zoom.fit();
    else return;
    event.preventDefault();
  };
  const fingers = useFingers(setView, ratio);
  return {
    ref: useMergedRef(sizeRef, wheelRef),
    view,
    box,
    zoom,
    handlers: { ...fingers, onKeyDown, tabIndex: 0 },
  };
}

type Change = (change: (old: View) => View) => void;

/** Where on the plan a point of the screen is. */
function onPlanAt(
  view: View,
  frame: DOMRect,
  { x, y, ratio }: { x: number; y: number; ratio: number },
): Point {
  const box = placed(view, frame, ratio);
  return [(x - frame.left - box.left) / box.width, (y - frame.top - box.top) / box.height];
}

// By hand: a listener of React's cannot keep the page from scrolling.
function useWheel(setView: Change, ratio: number) {
  return useCallback(
    (element: HTMLDivElement | null) => {
      const onWheel = (event: WheelEvent) => {
        // The page goes on scrolling unless somebody is at work in the plan.
        if (!element || (!event.ctrlKey && !element.contains(document.activeElement))) return;
        event.preventDefault();
        const frame = element.getBoundingClientRect();
        const factor = Math.exp(-event.deltaY * WHEEL * (event.ctrlKey ? 3 : 1));
        setView((old) =>
          zoomed(old, factor, onPlanAt(old, frame, { x: event.clientX, y: event.clientY, ratio })),
        );
      };
      element?.addEventListener('wheel', onWheel, { passive: false });
      return () => element?.removeEventListener('wheel', onWheel);
    },
    [setView, ratio],
  );
}

/** One pointer moves the plan, two zoom it. */
function useFingers(setView: Change, ratio: number) {
  const down = useRef(new Map<number, Point>());
  const isDrag = useRef(false);
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    if (down.current.size === 0) isDrag.current = false;
    down.current.set(event.pointerId, [event.clientX, event.clientY]);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const old = down.current.get(event.pointerId);
    if (!old) return;
    const at: Point = [event.clientX, event.clientY];
    if (!isDrag.current && down.current.size < 2 && Math.hypot(at[0] - old[0], at[1] - old[1]) < DRAG_PX)
      return;
    if (!isDrag.current) event.currentTarget.setPointerCapture(event.pointerId);
    isDrag.current = true;
    const others = [...down.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    down.current.set(event.pointerId, at);
    const frame = event.currentTarget.getBoundingClientRect();
    setView((view) => fingered(view, { old, at, other: others[0], frame, ratio }));
  };
  const onPointerEnd = (event: PointerEvent) => {
    down.current.delete(event.pointerId);
  };
  // A drag is no click on what is under it.
  const onClickCapture = (event: { stopPropagation: () => void }) => {
    if (isDrag.current) event.stopPropagation();
    isDrag.current = false;
  };
  return {
    ...{ onPointerDown, onPointerMove, onClickCapture },
    ...{ onPointerUp: onPointerEnd, onPointerCancel: onPointerEnd, onPointerLeave: onPointerEnd },
  };
}

interface Finger {
  readonly old: Point;
  readonly at: Point;
  readonly other: Point | undefined;
  readonly frame: DOMRect;
  readonly ratio: number;
}

function fingered(view: View, { old, at, other, frame, ratio }: Finger): View {
  const box = placed(view, frame, ratio);
  if (!other) return panned(view, [(old[0] - at[0]) / box.width, (old[1] - at[1]) / box.height]);
  const distance = (point: Point) => Math.max(1, Math.hypot(point[0] - other[0], point[1] - other[1]));
  const [x, y] = [(at[0] + other[0]) / 2, (at[1] + other[1]) / 2];
  return zoomed(view, distance(at) / distance(old), onPlanAt(view, frame, { x, y, ratio }));
}
