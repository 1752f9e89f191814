import { createHash } from 'node:crypto';
import { eventSchema, type EventInput, type UsedRight } from '../../schema/observations.js';
import { GLOBAL_REGION, type ActorKind, type EventOutcome } from '../../schema/model.js';
import { BrokenRecord, type JsonObject } from '../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../types.js';
import { maskText } from '../../redaction/redact-fast.js';
import { keyEnd, maskRecord } from './mask.js';
import { textOf, valueAt, type EventTable } from './table.js';
import { parseTime } from '../readers/time.js';

/** Who acted. */
export interface Acted {
  actor: string;
  actor_kind: ActorKind;
  session?: string | undefined;
  chain?: readonly string[] | undefined;
}

/** What the table of a log does not tell of an event. */
export interface Told extends Acted {
  log: string;
  outcome?: EventOutcome | undefined;
  resources?: readonly string[] | undefined;
  rights?: readonly UsedRight[] | undefined;
  /** In place of what the table gives. */
  account_id?: string | undefined;
  region?: string | undefined;
  service?: string | undefined;
  action?: string | undefined;
  error?: string | undefined;
  time?: unknown;
  event_id?: string | undefined;
  source_ip?: string | undefined;
}

/** The columns of an event that its table gives. */
export type Columns = { [Name in keyof EventTable['columns']]: string | undefined };

/** Reads one report's records of a log. @throws BrokenRecord for a record without its required facts */
export type TellEvent = (record: JsonObject, columns: Columns) => Told;

const LONGEST = 1_024;
const MOST_RESOURCES = 30;
const MOST_RIGHTS = 30;
const MOST_CHAIN = 10;

/** Makes events of the records of one report. */
export class EventReader {
  private readonly names: readonly (keyof Columns)[];

  constructor(
    private readonly table: EventTable,
    private readonly tell: TellEvent,
    private readonly options: ImportOptions,
  ) {
    this.names = Object.keys(table.columns) as (keyof Columns)[];
  }

  /** @throws BrokenRecord that says what is missing */
  read(record: JsonObject, position: string): ImportItem {
    const { table, options } = this;
    const columns = Object.fromEntries(this.names.map((name) => [name, textOf(record, table.columns[name])])) as Columns;
    const told = this.tell(record, columns);
    const time = parseTime(told.time ?? columns.time);
    if (time === undefined) throw new BrokenRecord('the event has no time that can be read');
    const error = told.error ?? columns.error;
    const masked = table.keys.length === 0 ? undefined : keyOf(record, table);
    const event = {
      event_id: this.id(told.event_id ?? columns.event_id, record),
      time,
      provider: table.provider,
      account_id: this.short(told.account_id ?? columns.account_id ?? options.account_id),
      region: this.short(told.region ?? columns.region ?? options.region) ?? GLOBAL_REGION,
      log: told.log,
      service: this.required('service', told.service ?? columns.service),
      action: this.required('action', told.action ?? columns.action),
      outcome: told.outcome ?? outcomeOf(table, error),
      error: this.short(error),
      actor: this.required('actor', told.actor),
      actor_kind: told.actor_kind,
      session: this.short(told.session ?? columns.session),
      chain: this.list(told.chain, MOST_CHAIN),
      key: masked,
      source_ip: this.short(told.source_ip ?? columns.source_ip),
      user_agent: this.short(columns.user_agent),
      request_id: this.short(columns.request_id),
      resources: this.list(told.resources, MOST_RESOURCES),
      rights: told.rights?.length ? told.rights.slice(0, MOST_RIGHTS).map((right) => this.right(right)) : undefined,
      record: maskRecord(record, table.keys),
      position,
    };
    return { kind: 'event', event: checked(event) };
  }

  private id(given: string | undefined, record: JsonObject): string {
    if (given !== undefined && given.length <= 256) return maskText(given);
    return createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 32);
  }

  private required(what: string, text: string | undefined): string {
    const short = this.short(text);
    if (short === undefined) throw new BrokenRecord(`the event names no ${what}`);
    return short;
  }

  private short(text: string | undefined): string | undefined {
    if (text === undefined || text === '') return undefined;
    return maskText(text.length > LONGEST ? text.slice(0, LONGEST) : text);
  }

  private list(texts: readonly string[] | undefined, most: number): string[] | undefined {
    if (texts === undefined || texts.length === 0) return undefined;
    return [...new Set(texts)].slice(0, most).flatMap((text) => this.short(text) ?? []);
  }

  private right({ right, resource }: UsedRight): UsedRight {
    const on = this.short(resource);
    return { right: this.required('right', right), ...(on !== undefined && { resource: on }) };
  }
}

function outcomeOf({ denied }: EventTable, error: string | undefined): EventOutcome {
  if (error === undefined) return 'success';
  return denied?.test(error) ? 'denied' : 'failure';
}

function keyOf(record: JsonObject, { keys }: EventTable): string | undefined {
  for (const path of keys) {
    const id = valueAt(record, path);
    if (typeof id === 'string' && id.length > 4) return keyEnd(id);
  }
  return undefined;
}

/** @throws BrokenRecord that names what the declaration does not allow */
function checked(event: unknown): EventInput {
  const parsed = eventSchema.safeParse(event);
  if (parsed.success) return parsed.data;
  throw new BrokenRecord(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}
