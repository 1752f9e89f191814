import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { countText } from '../format.js';

export interface Series {
  readonly label: string;
  /** Custom property that holds its colour. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** The question that it answers, and over which time. */
  readonly title: string;
  /** Days as `2030-01-31`, or numbers. */
  readonly days?: readonly string[];
  readonly points?: readonly number[];
  readonly series: readonly Series[];
  /** The first day and the last of the time that the title names, where not every one of them has a number. */
  readonly span?: readonly [first: string, last: string];
  /** The axes in words, where they are no days and no counts. */
  readonly show?: { readonly x: (value: number) => string; readonly y: (value: number) => string; readonly first: string };
}

const HEIGHT = 200;
const secondsOf = (day: string): number => Date.parse(day) / 1_000;

/** The colour that a custom property has in the theme of now: canvases understand no `light-dark()`. */
function colourOf(property: string, place: HTMLElement): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${property})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Writes each series' name where its line ends. */
const labelEnds =
  (series: readonly Series[], place: HTMLElement) =>
  (plot: uPlot): void => {
    const { ctx } = plot;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    const taken: number[] = [];
    for (const { label, colour, values } of series) {
      const last = values.findLast((value) => value !== null) ?? 0;
      let y = plot.valToPos(last, 'y', true);
      while (taken.some((other) => Math.abs(other - y) < 14 * ratio)) y -= 14 * ratio;
      taken.push(y);
      ctx.fillStyle = colourOf(colour, place);
      ctx.fillText(label, plot.bbox.left + plot.bbox.width + 6 * ratio, y);
    }
    ctx.restore();
  };

async function draw(place: HTMLElement, { days, points, series, show, span }: ChartProps): Promise<uPlot> {
  const { default: Plot } = await import('uplot');
  const [text, line] = [colourOf('--soft', place), colourOf('--line', place)];
  const x = points ?? days!.map(secondsOf);
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
  return new Plot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      padding: [12, 76, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: points === undefined, ...(span && { range: [secondsOf(span[0]), secondsOf(span[1])] }) },
        y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.08)] },
      },
      axes: [
        { ...axis, size: 32, grid: { show: false }, ...(show && { values: (_plot, values) => values.map(show.x) }) },
        { ...axis, size: show ? 76 : 48, values: (_plot, values) => values.map((value) => (show ? show.y(value) : countText(value))) },
      ],
      series: [{}, ...series.map(({ colour }) => ({ stroke: colourOf(colour, place), width: 2, points: { show: x.length < 3 } }))],
      hooks: { draw: [labelEnds(series, place)] },
    },
    [[...x], ...series.map(({ values }) => [...values])],
    place,
  );
}

/** Lines over time, from zero. The same numbers as a table are one button away, and what a screen reader gets. */
export function Chart(props: ChartProps) {
  const { title, days, points, series, show } = props;
  const place = useRef<HTMLDivElement>(null);
  const [isTable, setTable] = useState(false);
  useEffect(() => {
    const target = place.current;
    if (!target) return undefined;
    let plot: uPlot | null = null;
    let isGone = false;
    const anew = async () => {
      const next = await draw(target, props);
      plot?.destroy();
      plot = next;
      if (isGone) plot.destroy();
    };
    void anew();
    const theme = matchMedia('(prefers-color-scheme: dark)');
    const onTheme = () => void anew();
    theme.addEventListener('change', onTheme);
    const size = new ResizeObserver(() => plot?.setSize({ width: target.clientWidth, height: HEIGHT }));
    size.observe(target);
    return () => {
      isGone = true;
      plot?.destroy();
      theme.removeEventListener('change', onTheme);
      size.disconnect();
    };
  }, [isTable, JSON.stringify([days, points, series])]);
  const rows = points ? points.map((point) => show?.x(point) ?? countText(point)) : days!;
  return (
    <figure class="chart">
      <figcaption>
        {title}
        <button type="button" class="quiet" onClick={() => setTable(!isTable)} aria-pressed={isTable}>
          Table
        </button>
      </figcaption>
      {!isTable && <div ref={place} aria-hidden="true" class="plot" />}
      <div class={isTable ? 'numbers' : 'hidden'} tabIndex={isTable ? 0 : undefined}>
        <table class="short">
          <caption class="hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{show?.first ?? 'Day'}</th>
              {series.map(({ label }) => (
                <th key={label} scope="col" class="end">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                {series.map(({ label, values }) => (
                  <td key={label} class="end">
                    {show && values[index] !== null ? show.y(values[index]!) : countText(values[index])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
