// The console's list of 100,000 findings, scrolled in Chromium: script of the page a frame, in CPU of its thread by a trace, rows in the document, and the first paint.
import { chromium, type CDPSession, type Page } from 'playwright-core';
import { engines } from '../subgraphs/index.js';
import { deploy, startServer, stores } from './deployment.js';
import { fill } from './fill.js';

const SIZE = Number(process.env['BENCH_SIZES']?.split(',').at(-1) ?? 100_000);
const FRAMES = Number(process.env['BENCH_FRAMES'] ?? 400);
const facts = engines.find(({ name }) => name === 'check')!.findings!;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds: when, how long, and how much of that was CPU of its thread. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

/** What of a trace is script of the page. */
const SCRIPT = new Set(['FunctionCall', 'EvaluateScript', 'RunMicrotasks', 'FireAnimationFrame', 'TimerFire', 'EventDispatch']);

async function traced(devtools: CDPSession, work: () => Promise<unknown>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise<void>((resolve) => devtools.once('Tracing.tracingComplete', () => resolve()));
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
      recordMode: 'recordAsMuchAsPossible',
    },
  });
  await work();
  await devtools.send('Tracing.end');
  await complete;
  return events;
}

/** Milliseconds of script between one frame and the next, of the thread that draws the page. */
function scriptByFrame(events: readonly TraceEvent[]): number[] {
  const counts = new Map<string, number>();
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
  for (const event of events) if (event.name === 'FireAnimationFrame') counts.set(threadOf(event), (counts.get(threadOf(event)) ?? 0) + 1);
  const [main] = [...counts].sort(([, one], [, other]) => other - one)[0]!;
  const own = events.filter((event) => threadOf(event) === main && event.ph === 'X').sort((one, other) => one.ts - other.ts);
  const frames: number[] = [];
  let end = 0;
  for (const { name, ts, dur = 0, tdur = dur } of own) {
    if (name === 'FireAnimationFrame') frames.push(0);
    if (!SCRIPT.has(name) || ts < end || frames.length === 0) continue;
    end = ts + dur;
    frames[frames.length - 1]! += tdur / 1_000;
  }
  return frames;
}

/** Scrolls the list by `step` pixels a frame, down and every so often far away. @returns the most rows that were in the document */
const scroll = (page: Page, step: number): Promise<number> =>
  page.evaluate(
    ([frames, pixels]) =>
      new Promise<number>((resolve) => {
        const place = document.querySelector('.long')!;
        let [frame, most] = [0, 0];
        const next = () => {
          most = Math.max(most, place.querySelectorAll('tbody tr:not(.space)').length);
          if (++frame > frames!) return resolve(most);
          place.scrollTop = frame % 100 === 0 ? (place.scrollHeight * frame) / frames! : place.scrollTop + pixels!;
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
    [FRAMES, step],
  );

const at = (sorted: readonly number[], share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  await fill(deployment, facts, 0, SIZE);
  // a machine with much to do is no reason for an answer without an engine
  const server = await startServer({ ...deployment, env: { ...deployment.env, ENGINE_TIMEOUT_MS: '120000' } });
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
    timeout: 0,
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(0);
  const [name, value] = deployment.cookie.split('=') as [string, string];
  await page.context().addCookies([{ name, value, url: server.ready, sameSite: 'Lax', httpOnly: true }]);
  await page.goto(`${server.ready}/#/findings`);
  await page.locator('td a.title').first().waitFor();
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]!.startTime);
  // the first time compiles
  await scroll(page, 40);
  const devtools = await page.context().newCDPSession(page);
  let rows = 0;
  const events = await traced(devtools, async () => (rows = await scroll(page, 40)));
  // a list that went away scrolls for nothing
  if (rows === 0) throw new Error('no row of the list was in the document');
  const sorted = scriptByFrame(events).sort((one, other) => one - other);
  const within = sorted.filter((ms) => ms <= 4).length / sorted.length;
  console.log(
    `${store.name}, ${SIZE} findings, ${sorted.length} frames: script a frame p50 ${at(sorted, 0.5).toFixed(2)} ms, p95 ${at(sorted, 0.95).toFixed(2)} ms, ` +
      `p99 ${at(sorted, 0.99).toFixed(2)} ms of CPU (at most 4 ms: ${(within * 100).toFixed(1)} %); at most ${rows} rows in the document (at most 40); first paint after ${paint.toFixed(0)} ms (at most 500)`,
  );
  await browser.close();
  await server.stop();
  await deployment.close();
}
