import { z } from 'zod';
import type { Outbound } from '../../../kit/outbound/outbound.js';
import { basic } from './basic.js';
import { callTarget } from './call-target.js';
import { ChannelError } from './channel-error.js';
import { oneLine } from './digest.js';
import { jsonOf, JsonTarget } from './json-target.js';
import { priorityOf, type NewIssue, type Tracker, type TrackerSettings } from './tracker.js';

/** What may be shown of a connection to ServiceNow. */
export interface ServiceNowSettings extends TrackerSettings {
  /** Name of the group that incidents are assigned to; null leaves that to the instance. */
  assignment_group: string | null;
}

/** What is kept sealed of it: a user with a password, an OAuth token, or an OAuth client that fetches tokens. */
export type ServiceNowCredentials =
  { username: string; password: string } | { token: string } | { client_id: string; client_secret: string };

/** Characters of a short description, as instances come. */
const SHORT = 160;

const incident = z.object({ sys_id: z.string().regex(/^[0-9a-f]{32}$/), number: z.string().regex(/^[A-Z]{2,10}\d{1,20}$/) });
const one = z.object({ result: incident });
const some = z.object({ result: z.array(incident) });
const errorBody = z.object({ error: z.object({ message: z.string(), detail: z.string().nullish() }) });
const tokenBody = z.object({ access_token: z.string().min(1) });

function messageOf(body: unknown): string {
  const said = errorBody.safeParse(body).data?.error;
  return said ? [said.message, said.detail].filter(Boolean).join('; ') : '';
}

/** Incidents by ServiceNow's Table API. */
export class ServiceNowClient implements Tracker {
  private opened: Promise<JsonTarget> | undefined;

  constructor(
    private readonly outbound: Outbound,
    private readonly settings: ServiceNowSettings,
    private readonly credentials: ServiceNowCredentials,
  ) {}

  async test(): Promise<void> {
    await this.list('numberISNOTEMPTY');
  }

  /** A marker is the incident's correlation id. */
  async findByMarker(marker: string): Promise<string | null> {
    return (await this.list(`correlation_id=${marker}^ORDERBYsys_created_on`))?.number ?? null;
  }

  async findIssue(key: string): Promise<string | null> {
    return (await this.byNumber(key))?.number ?? null;
  }

  /** Priority follows from urgency and impact, by the instance's own table. */
  async create({ summary, description, marker, severity }: NewIssue): Promise<string> {
    const level = priorityOf(this.settings, severity);
    const { assignment_group } = this.settings;
    const body = {
      short_description: oneLine(summary, SHORT),
      description,
      correlation_id: marker,
      correlation_display: 'Palisade',
      ...(level !== null && { urgency: level, impact: level }),
      ...(assignment_group !== null && { assignment_group }),
    };
    const query = 'sysparm_fields=sys_id%2Cnumber&sysparm_input_display_value=true';
    const { result } = await (await this.target()).ask(one, 'POST', `?${query}`, body);
    return result.number;
  }

  async comment(key: string, text: string): Promise<void> {
    const found = await this.byNumber(key);
    if (!found) throw new ChannelError('the ticket is gone', false);
    await (await this.target()).ask(z.unknown(), 'PATCH', `/${found.sys_id}?sysparm_fields=sys_id`, { work_notes: text });
  }

  urlOf(key: string): string {
    return `${this.settings.url}/incident.do?sysparm_query=${encodeURIComponent(`number=${key}`)}`;
  }

  /** What is no number names no incident, and never becomes part of a query. */
  private async byNumber(key: string): Promise<z.infer<typeof incident> | null> {
    return incident.shape.number.safeParse(key).success ? this.list(`number=${key}`) : null;
  }

  /** The first incident that a query of the instance's own language finds. */
  private async list(query: string): Promise<z.infer<typeof incident> | null> {
    const asked = new URLSearchParams({ sysparm_query: query, sysparm_fields: 'sys_id,number', sysparm_limit: '1' });
    const { result } = await (await this.target()).ask(some, 'GET', `?${asked.toString()}`);
    return result[0] ?? null;
  }

  private target(): Promise<JsonTarget> {
    return (this.opened ??= this.authorization().then(
      (authorization) =>
        new JsonTarget(this.outbound, {
          name: 'ServiceNow',
          base: `${this.settings.url}/api/now/table/incident`,
          headers: { authorization },
          messageOf,
        }),
    ));
  }

  private async authorization(): Promise<string> {
    if ('password' in this.credentials) return basic(this.credentials.username, this.credentials.password);
    if ('token' in this.credentials) return `Bearer ${this.credentials.token}`;
    const { client_id, client_secret } = this.credentials;
    const answer = await callTarget(this.outbound, `${this.settings.url}/oauth_token.do`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString(),
    });
    const token = answer.status === 200 ? tokenBody.safeParse(jsonOf(answer.text)).data?.access_token : undefined;
    if (token !== undefined) return `Bearer ${token}`;
    const mayRetry = answer.status >= 500 || answer.status === 429;
    throw new ChannelError(`no token is given to the client: the other side answered ${answer.status}`, mayRetry);
  }
}
