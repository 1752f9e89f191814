import type { Clock } from '../../kit/base/clock.js';

/** How long a run asks an account, in milliseconds. */
const MOST = 6 * 3_600_000;

/**
 * The lines that are told in time; behind them, where more was to come, one that says that the rest was not asked: the run is PARTIAL by it, and ends nothing.
 * Calls have limits of their own, so that no line is waited for much longer.
 * @param most milliseconds; six hours when absent
 */
export async function* withinTime(lines: AsyncIterable<string>, clock: Clock, most = MOST): AsyncGenerator<string> {
  const ends = clock.now().getTime() + most;
  for await (const line of lines) {
    if (clock.now().getTime() >= ends) {
      const reason = `The run has asked for ${most / 3_600_000} hours, which is its limit: what was left was not asked.`;
      yield `${JSON.stringify({ source: 'time limit', not_answered: reason })}\n`;
      return;
    }
    yield line;
  }
}
