const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
/** How long before now the last event lies. */
const BACK = 60 * 60_000;

/** A log whose times are moved so that its last event has just been: what is old would be removed, and what is to come refused. */
export function movedLog(log: string, now: Date): string {
  const times = [...log.matchAll(TIME)].map(([time]) => Date.parse(time));
  const by = now.getTime() - BACK - Math.max(...times);
  return log.replaceAll(TIME, (time) => new Date(Date.parse(time) + by).toISOString().replace(/\.\d+Z/, 'Z'));
}
