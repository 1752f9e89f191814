import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { truncateMiddle } from '../format.js';
import { NODE } from './node-size.js';

const [SMALLEST, LARGEST, STEP] = [0.4, 2, 1.2];

interface GraphFrameProps {
  /** What is drawn, for who does not see it. */
  readonly label: string;
  readonly width: number;
  readonly height: number;
  /** What is to be in sight first; its beginning without it. */
  readonly centre?: { readonly x: number; readonly y: number };
  readonly children: ComponentChildren;
}

/** The place of a drawing: it scrolls, and is made larger and smaller by `+`, `-` and `0`, and by the wheel with Ctrl. */
export function GraphFrame({ label, width, height, centre, children }: GraphFrameProps) {
  const [zoom, setZoom] = useState(1);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { clientWidth = 0, clientHeight = 0 } = place.current ?? {};
    if (centre)
      place.current?.scrollTo({
        left: (centre.x + NODE.width / 2) * zoom - clientWidth / 2,
        top: (centre.y + NODE.height / 2) * zoom - clientHeight / 2,
      });
  }, [centre?.x, centre?.y, zoom]);
  const by = (factor: number) => setZoom((now) => Math.min(LARGEST, Math.max(SMALLEST, now * factor)));
  const keys: Readonly<Record<string, () => void>> = { '+': () => by(STEP), '-': () => by(1 / STEP), '0': () => setZoom(1) };
  const press = (event: KeyboardEvent) => {
    const run = event.ctrlKey || event.metaKey ? undefined : keys[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
  const turn = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    by(event.deltaY < 0 ? STEP : 1 / STEP);
  };
  return (
    <div class="graph" ref={place} tabIndex={0} role="region" aria-label={label} onKeyDown={press} onWheel={turn}>
      <svg width={width * zoom} height={height * zoom} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={label}>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerUnits="userSpaceOnUse"
            markerWidth="10"
            markerHeight="10"
            orient="auto-start-reverse"
          >
            <path d="M0,0 L8,4 L0,8 z" />
          </marker>
        </defs>
        {children}
      </svg>
    </div>
  );
}

interface NodeBoxProps {
  readonly x: number;
  readonly y: number;
  readonly name: string;
  /** What it is, below its name. */
  readonly note: string;
  /** The whole of it, for the pointer. */
  readonly title: string;
  /** Where it leads to; null where it is no thing of its own. */
  readonly href: string | null;
  /** Whether it is what the drawing is about. */
  readonly isMain: boolean;
}

export function NodeBox({ x, y, name, note, title, href, isMain }: NodeBoxProps) {
  const box = (
    <g transform={`translate(${x},${y})`} class={isMain ? 'node jewel' : 'node'}>
      <title>{title}</title>
      <rect width={NODE.width} height={NODE.height} rx="4" />
      <text x="10" y="22">
        {truncateMiddle(name, 18)}
      </text>
      <text x="10" y="40" class="soft">
        {truncateMiddle(note, 19)}
      </text>
    </g>
  );
  return href === null ? box : <a href={href}>{box}</a>;
}
