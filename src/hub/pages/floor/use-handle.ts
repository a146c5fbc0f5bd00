import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { type Item, moved, without } from './draft.ts';
import type { Point } from './geometry.ts';
import { useFrame } from './plan-frame.tsx';
import type { Apply } from './use-draft.ts';

/** Fractions of the plan that an arrow key moves by, alone and with Shift. */
const STEP = 0.005;
const LONG_STEP = 0.05;

const arrows: Readonly<Record<string, Point>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface Options {
  readonly apply: Apply;
  readonly onSelect?: () => void;
  /** What plus adds, such as a corner. */
  readonly onAdd?: () => void;
}

/** Makes something of the drawing movable: dragged, by arrow keys, taken away by Delete. A drag is one step back. */
export function useHandle(item: Item, { apply, onSelect, onAdd }: Options) {
  const { size } = useFrame();
  const last = useRef<Point>(null);
  const isMoving = useRef(false);
  const onPointerDown = (event: PointerEvent<SVGElement>) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus({ preventScroll: true });
    last.current = [event.clientX, event.clientY];
    isMoving.current = false;
    onSelect?.();
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!last.current) return;
    event.stopPropagation();
    const delta: Point = [
      (event.clientX - last.current[0]) / size.width,
      (event.clientY - last.current[1]) / size.height,
    ];
    if (delta[0] === 0 && delta[1] === 0) return;
    apply((drawing) => moved(drawing, item, delta), isMoving.current);
    last.current = [event.clientX, event.clientY];
    isMoving.current = true;
  };
  const onPointerUp = () => {
    last.current = null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = arrows[event.key];
    const step = event.shiftKey ? LONG_STEP : STEP;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // A key that is held is one movement.
    if (arrow) apply((drawing) => moved(drawing, item, [arrow[0] * step, arrow[1] * step]), event.repeat);
    else if (event.key === 'Delete' || event.key === 'Backspace')
      remove(event, () => apply((drawing) => without(drawing, item)));
    else if ((event.key === '+' || event.key === 'Insert') && onAdd) onAdd();
    else if ((event.key === 'Enter' || event.key === ' ') && onSelect) onSelect();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp, onKeyDown };
}

// The focus goes on to the plan: what had it is gone.
function remove(event: KeyboardEvent, run: () => void): void {
  const frame = event.currentTarget.closest<HTMLElement>('[role="group"][tabindex]');
  run();
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) frame?.focus({ preventScroll: true });
  });
}
