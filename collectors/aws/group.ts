import { atMost, type Step, type Work } from '../at-most.js';
import { piecesOfLists } from '../pieces.js';
import type { NotAnswered, RecordedAnswer } from '../types.js';
import { ask, type Asked, type SdkModule, type Tries } from './ask.js';
import { commandOf, filled } from './command.js';
import { permissionOf, type CallGroup, type CallLine, type Input, type SdkClient } from './lines.js';
import { at, thingsAt, type Printed } from './printed.js';

export type AwsRecord = RecordedAnswer | NotAnswered;

/** Calls that are made at the same time. */
const MOST_CALLS = 4;
/** Pages of one call. AWS has none that is longer; a service that gives new tokens for ever must end. */
const MOST_PAGES = 2_000;

/** AWS takes the key of the account in no call of this region. */
export class RegionClosed extends Error {
  override readonly name = 'RegionClosed';
  constructor(readonly record: NotAnswered) {
    super(record.not_answered);
  }
}

/** Where a group is asked, and by what. */
export interface Asking {
  readonly group: CallGroup;
  readonly client: SdkClient;
  readonly commands: SdkModule;
  /** The region that records name; undefined where the service has none. */
  readonly region: string | undefined;
  /** What every call may name: the account and the region that is asked. */
  readonly place: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether AWS is reached in the region at this time, whatever the service. */
  readonly isReached: () => Promise<boolean>;
  readonly tries: Tries;
  /** Ends the calls that are being made. */
  readonly stop: () => void;
}

/**
 * Asks all that the lines of a group ask.
 * @throws RegionClosed where the key is not taken; the reason of the signal
 */
export async function* askGroup(asking: Asking): AsyncGenerator<AwsRecord> {
  const late: AwsRecord[] = [];
  yield* atMost(
    MOST_CALLS,
    asking.group.calls.map((line) => workOf(asking, line, asking.place, late)),
    asking.stop,
  );
  yield* late;
}

/** The pages of one call about one thing, and the calls about what they tell. */
function workOf(asking: Asking, line: CallLine, thing: Readonly<Record<string, unknown>>, late: AwsRecord[]): Work<AwsRecord> {
  return async function* (): AsyncGenerator<Step<AwsRecord>> {
    const { group, client, commands, region, signal, tries } = asking;
    const input = filled(line.input ?? {}, thing);
    // it has no member by which it could be asked about
    if (input === undefined) return;
    const head = { source: commandOf(group.command, line.call, input), ...(region !== undefined && { region }) };
    const [tokenAt, tokenIn] = line.page === undefined ? [] : typeof line.page === 'string' ? [line.page, line.page] : line.page;
    let token: unknown;
    for (let page = 1; ; page++) {
      const marked = token === undefined ? {} : { [tokenIn!]: token as string };
      const asked = await ask(client, commands, line, { ...input, ...line.quiet, ...marked }, signal, tries);
      if (!('answer' in asked)) {
        // what no name leads to while the region is reached is not there
        if ('nowhere' in asked && (await asking.isReached())) return yield { item: { ...head, error: 'ServiceNotInRegion' } };
        const record = recordOf(head, asked, permissionOf(group, line));
        if ('badKey' in asked) throw new RegionClosed(record as NotAnswered);
        return yield { item: record };
      }
      const { answer } = asked;
      for (const response of piecesOfLists(answer))
        if (line.late) late.push({ ...head, response });
        else yield { item: { ...head, response } };
      for (const found of line.each === undefined ? [] : thingsAt(answer, line.each, line.as))
        if (fits(found, filled(line.only ?? {}, thing)))
          for (const next of line.then ?? []) yield { more: workOf(asking, next, { ...thing, ...found }, late) };
      const before = token;
      token = tokenAt === undefined ? undefined : at(answer, tokenAt);
      if (token === undefined || token === null || token === '') return;
      if (token === before || page >= MOST_PAGES)
        return yield { item: { ...head, not_answered: 'AWS does not come to an end with the pages of this answer' } };
    }
  };
}

/** Whether a thing has the members that it must have; `undefined` where those cannot be told. */
const fits = (thing: Printed, only: Input | undefined): boolean =>
  only !== undefined && Object.entries(only).every(([name, value]) => thing[name] === value);

function recordOf(head: { source: string; region?: string }, asked: Exclude<Asked, { answer: Printed }>, permission: string): AwsRecord {
  if ('none' in asked) return { ...head, error: asked.none };
  if ('denied' in asked) return { ...head, not_answered: `The permission ${permission} is missing: ${asked.denied}` };
  if ('badKey' in asked) return { ...head, not_answered: `The key is not taken in this region: ${asked.badKey}` };
  return { ...head, not_answered: 'nowhere' in asked ? asked.nowhere : asked.failed };
}
