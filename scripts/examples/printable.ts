/** Members whose values are secret: they are told once, or prove who somebody is. */
const SECRET =
  /^(key|secret|password|token|code|hook_secret|signing_secret|recovery_codes|otpauth_url|challenge_id|accept_url|link|invite_url)$/;
/** Longest text and list that is shown. */
const LONGEST = { text: 240, list: 2 };

/**
 * What is random, or measures the machine, in the texts of an answer. Each is numbered in the order in which an example shows it, so that two
 * that were the same stay so.
 */
const RANDOM: readonly (readonly [RegExp, (number: number) => string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`],
  [/(?<=\b[a-z]{2,8}_)[0-9a-f]{16,32}\b/g, (n) => String(n).padStart(24, '0')],
  [/\b[0-9a-f]{64}\b/g, (n) => String(n).padStart(64, '0')],
];
// numbers in the audit log, too: how often scores are reckoned while the demo comes in is chance
const MEASURED = /^(seq|uptime_seconds|duration_ms|latency_ms|milliseconds|pending)$/;
/** How deliveries of a webhook go, which changes while the examples are taken: shown as it is before the first. */
const HEALTH = {
  status: 'unknown',
  last_success_at: null,
  last_failure_at: null,
  last_error: null,
  consecutive_failures: 0,
  pending: 0,
  dead: 0,
};

/** Of a page, what stands before its title ends. */
const pageTitle = (text: string): string => (/^<!doctype html>/i.test(text) ? `${text.split('</title>', 1)[0]}</title>…` : text);

/** An example as it may be printed and committed: short, without secrets, and the same each time that it is taken. @param randomIds ids that are random, too, though their form does not tell */
export function printable(example: unknown, randomIds: readonly string[]): unknown {
  const numbers = new Map<string, number>();
  const steady = (text: string): string =>
    RANDOM.reduce(
      (known, [pattern, replacement]) =>
        known.replace(pattern, (found) => {
          if (!numbers.has(found)) numbers.set(found, numbers.size + 1);
          return replacement(numbers.get(found)!);
        }),
      randomIds.reduce((known, id) => known.replaceAll(id, '0a1b2c3d4e5f'.repeat(3).slice(0, id.length)), text),
    );
  const shorten = (text: string): string => (text.length > LONGEST.text ? `${text.slice(0, LONGEST.text - 1)}…` : text);
  const walk = (value: unknown, name: string): unknown => {
    if (SECRET.test(name) && value !== null) return Array.isArray(value) ? ['(shown once)'] : '(secret)';
    if (typeof value === 'string') return shorten(steady(pageTitle(value)));
    if (typeof value === 'number' && MEASURED.test(name)) return 1;
    if (Array.isArray(value)) return value.slice(0, LONGEST.list).map((item) => walk(item, ''));
    if (typeof value !== 'object' || value === null) return value;
    if ('consecutive_failures' in value) return HEALTH;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [steady(key), walk(inner, key)]));
  };
  return walk(example, '');
}
