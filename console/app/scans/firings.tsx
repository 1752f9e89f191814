import { Cron } from 'croner';

/** The next firings of a timetable, as the server reckons them. @throws Error where it cannot be read */
export function firingsOf(cron: string, timezone: string, count: number, from = new Date()): Date[] {
  return new Cron(cron, { timezone, mode: '5-part', paused: true }).nextRuns(count, from);
}

/** When a timetable fires next, in the zone whose clock it goes by. */
export function Firings({ cron, zone }: { readonly cron: string; readonly zone: string }) {
  let times: readonly Date[];
  try {
    times = firingsOf(cron.trim(), zone.trim(), 5);
  } catch {
    return <p class="soft">When it fires next cannot be told of this.</p>;
  }
  const words = new Intl.DateTimeFormat('en-GB', { timeZone: zone.trim(), dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
  return (
    <div aria-live="polite">
      <p>It fires next, {zone}:</p>
      <ol class="plain">
        {times.map((time) => (
          <li key={time.getTime()}>
            <time dateTime={time.toISOString()} title={time.toISOString()}>
              {words.format(time)}
            </time>
          </li>
        ))}
        {times.length === 0 && <li class="soft">never</li>}
      </ol>
    </div>
  );
}
