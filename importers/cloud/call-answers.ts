import { isItem, valuesAt, type Item } from './item.js';
import type { CallAnswer } from './map.js';
import { asFileName, type SourceCall } from './source-call.js';
import { cloudTable, type Thing, type ThingCall } from './table.js';

/** An answer to a call about one thing: null for an error that says that there is none, undefined for any other error. */
interface Told {
  answer: Item | null | undefined;
  subject: string;
  exact: boolean;
  line: ThingCall;
  thing: Thing;
  at: string;
  part: string | undefined;
  used: boolean;
}

/** A thing that only calls about it tell of. */
export interface CalledThing {
  thing: Thing;
  subject: string;
  at: string;
  part: string | undefined;
}

/** Things are compared with so many names that calls give in another form. */
const MOST_NAMES = 2_000;
/** The code of an error, as the interfaces of AWS and its clients give it. */
const SAID = /\bAn error occurred \((\w[\w.]*)\)/;

/** A provider about whose things calls tell more than lists do. */
export type CalledProvider = 'aws' | 'oci' | 'alicloud' | 'ibm';

const linesByCall = new Map<CalledProvider, ReadonlyMap<string, readonly { thing: Thing; line: ThingCall }[]>>();

/** The lines of a provider's table for a call, `s3/get-bucket-policy`. */
function linesOf(provider: CalledProvider, call: string): readonly { thing: Thing; line: ThingCall }[] {
  const known = linesByCall.get(provider);
  if (known !== undefined) return known.get(call) ?? [];
  const made = new Map<string, { thing: Thing; line: ThingCall }[]>();
  for (const thing of cloudTable(provider).things)
    for (const line of thing.calls) for (const name of line.call) made.set(name, [...(made.get(name) ?? []), { thing, line }]);
  linesByCall.set(provider, made);
  return made.get(call) ?? [];
}

/** Calls about one thing whose answers are known by their members, with what those are. */
export const callsByAnswer = (): { thing: Thing; line: ThingCall }[] =>
  cloudTable('aws').things.flatMap((thing) => thing.calls.filter(({ has }) => has.length > 0).map((line) => ({ thing, line })));

/** The code of an error that was answered or recorded; undefined for an answer. */
export function errorCode(record: Item): string | undefined {
  const { error, response } = record;
  const inner = isItem(response) ? (response['Error'] ?? response['error']) : response;
  for (const said of [error, inner]) {
    if (isItem(said)) {
      const code = said['Code'] ?? said['code'];
      if (typeof code === 'string') return code;
    }
    if (typeof said === 'string') return SAID.exec(said)?.[1] ?? said.trim().split(/[\s:]/)[0];
  }
  const type = isItem(response) ? response['__type'] : undefined;
  return typeof type === 'string' ? type.split('#').at(-1) : undefined;
}

/** What calls about single things have answered, gathered before the things are told. */
export class CallAnswers {
  private readonly byCall = new Map<string, Map<string, Told>>();

  constructor(private readonly provider: CalledProvider) {}

  /** Takes note of an answer. @returns whether the table knows the call */
  add(call: SourceCall, answer: Item | { error: string }, at: string, part?: string): boolean {
    const name = `${call.service}/${call.call}`;
    const lines = linesOf(this.provider, name);
    for (const { thing, line } of lines) {
      if (!says(line, answer)) continue;
      const failed = typeof answer['error'] === 'string' && Object.keys(answer).length === 1 ? answer['error'] : undefined;
      const own = line.subject === undefined || failed !== undefined ? undefined : valuesAt(answer, line.subject)[0];
      const subjects = typeof own === 'string' ? [own] : call.subjects;
      const said = failed === undefined ? answer : line.none.includes(failed) ? null : undefined;
      for (const subject of subjects)
        this.note(line, { answer: said, subject, exact: call.exact || typeof own === 'string', line, thing, at, part, used: false });
    }
    return lines.length > 0;
  }

  readonly answerTo: CallAnswer = (line, _thing, values) => {
    const known = this.byCall.get(line.call[0]!);
    if (known === undefined) return undefined;
    const names = ['id', 'arn', 'name', 'bucket', 'url', 'key_id'].flatMap((key) =>
      typeof values[key] === 'string' ? [asFileName(values[key])] : [],
    );
    let told = names.map((name) => known.get(name)).find((one) => one !== undefined);
    if (told === undefined && known.size <= MOST_NAMES)
      told = [...known].find(([key, { exact }]) => !exact && names.some((name) => key.endsWith(`_${name}`)))?.[1];
    if (told !== undefined) told.used = true;
    return told?.answer;
  };

  /** Things that no list has told, and calls have. */
  *rest(): Generator<CalledThing> {
    const given = new Set<string>();
    for (const known of this.byCall.values())
      for (const { used, exact, subject, thing, at, part, answer } of known.values()) {
        const key = `${thing.type}\n${asFileName(subject)}`;
        if (used || answer === undefined || given.has(key) || Object.keys(thing.named).length === 0) continue;
        if (thing.named['arn'] === '{subject}' && !subject.startsWith('arn:')) continue;
        // of a name that stands in a file's name the signs are lost
        if (!exact && subject.includes('_')) continue;
        given.add(key);
        yield { thing, subject, at, part };
      }
  }

  private note(line: ThingCall, told: Told): void {
    const known = this.byCall.get(line.call[0]!) ?? new Map<string, Told>();
    this.byCall.set(line.call[0]!, known);
    known.set(asFileName(told.subject), told);
  }
}

const says = ({ when }: ThingCall, answer: Item): boolean =>
  Object.entries(when).every(([path, pattern]) => new RegExp(pattern).test(String(valuesAt(answer, path)[0])));

/** A thing that calls name, as far as its name tells it. */
export function namedThing(
  { thing, subject }: CalledThing,
  place: { region: string | undefined; account: string | undefined },
): Record<string, string> {
  const isArn = subject.startsWith('arn:');
  const short = isArn ? (subject.split(/[:/]/).at(-1) ?? subject) : subject;
  const values: Record<string, string> = {};
  for (const [name, text] of Object.entries(thing.named)) {
    if (name === 'arn' && isArn) values[name] = subject;
    else {
      const filled = text
        .replaceAll('{subject}', short)
        .replaceAll('{region}', place.region ?? '\n')
        .replaceAll('{account}', place.account ?? '\n');
      if (!filled.includes('\n')) values[name] = filled;
    }
  }
  return values;
}
