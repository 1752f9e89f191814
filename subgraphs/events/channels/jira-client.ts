import { z } from 'zod';
import type { Outbound } from '../../../kit/outbound/outbound.js';
import { callTarget, shownText, type TargetAnswer } from './call-target.js';
import { ChannelError, refusal } from './channel-error.js';
import type { JiraCredentials, JiraSettings } from './jira-settings.js';

/** A ticket to make. */
export interface NewIssue {
  summary: string;
  /** Plain text. */
  description: string;
  labels: readonly string[];
  priority: string | null;
}

const errorBody = z.object({ errorMessages: z.array(z.string()).default([]), errors: z.record(z.string(), z.string()).default({}) });
const keyed = z.object({ key: z.string().regex(/^[A-Z][A-Z0-9_]*-\d+$/) });
const project = z.object({ issueTypes: z.array(z.object({ name: z.string() })) });
const found = z.object({ issues: z.array(keyed) });

/** Calls one Jira: Cloud (API 3, e-mail address and API token) or Data Center (API 2, personal access token). */
export class JiraClient {
  private readonly cloud: boolean;

  constructor(
    private readonly outbound: Outbound,
    private readonly settings: JiraSettings,
    private readonly credentials: JiraCredentials,
  ) {
    this.cloud = credentials.username !== undefined;
  }

  /** Whether the credentials, the project and its type of issue hold. @throws ChannelError */
  async test(): Promise<void> {
    await this.ask('GET', 'myself');
    const { issueTypes } = this.read(project, await this.ask('GET', `project/${this.settings.project}`));
    if (!issueTypes.some(({ name }) => name === this.settings.issue_type))
      throw new ChannelError(`the project ${this.settings.project} has no issue type ${this.settings.issue_type}`, false);
  }

  /** The key of the oldest issue of the project that carries the label, or null. */
  async findByLabel(label: string): Promise<string | null> {
    const jql = `project = "${this.settings.project}" AND labels = "${label}" ORDER BY created ASC`;
    const query = new URLSearchParams({ jql, fields: 'key', maxResults: '1' }).toString();
    const { issues } = this.read(found, await this.ask('GET', `${this.cloud ? 'search/jql' : 'search'}?${query}`));
    return issues[0]?.key ?? null;
  }

  /** The key under which the issue is known now, or null when there is none. */
  async findIssue(key: string): Promise<string | null> {
    const answer = await this.call('GET', `issue/${encodeURIComponent(key)}?fields=status`);
    return answer.status === 404 ? null : this.read(keyed, this.succeeded(answer)).key;
  }

  /** Makes an issue. A project without priorities gets it without one. @returns its key */
  async create(issue: NewIssue): Promise<string> {
    const fields = {
      project: { key: this.settings.project },
      issuetype: { name: this.settings.issue_type },
      summary: issue.summary,
      description: this.plain(issue.description),
      labels: issue.labels,
    };
    const first = await this.call('POST', 'issue', {
      fields: { ...fields, ...(issue.priority && { priority: { name: issue.priority } }) },
    });
    const again = first.status === 400 && issue.priority !== null && 'priority' in errorsOf(first).errors;
    const answer = again ? await this.call('POST', 'issue', { fields }) : first;
    return this.read(keyed, this.succeeded(answer)).key;
  }

  async comment(key: string, text: string): Promise<void> {
    await this.ask('POST', `issue/${encodeURIComponent(key)}/comment`, { body: this.plain(text) });
  }

  /** Where people see an issue. */
  urlOf(key: string): string {
    return `${this.settings.url}/browse/${key}`;
  }

  /** Text of which Jira makes no markup: a document of text nodes, or a block that is not formatted. */
  private plain(text: string): unknown {
    if (!this.cloud) return `{noformat}\n${text.replaceAll(/\{(?=noformat)/gi, '{ ')}\n{noformat}`;
    const paragraph = (line: string) => ({ type: 'paragraph', content: line === '' ? [] : [{ type: 'text', text: line }] });
    return { type: 'doc', version: 1, content: text.split('\n').map(paragraph) };
  }

  private async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<TargetAnswer> {
    return this.succeeded(await this.call(method, path, body));
  }

  private call(method: 'GET' | 'POST', path: string, body?: object): Promise<TargetAnswer> {
    const { username, token } = this.credentials;
    const authorization = username === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
    return callTarget(this.outbound, `${this.settings.url}/rest/api/${this.cloud ? 3 : 2}/${path}`, {
      method,
      headers: { authorization, accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
  }

  private succeeded(answer: TargetAnswer): TargetAnswer {
    if (answer.status >= 200 && answer.status <= 299) return answer;
    const { errorMessages, errors } = errorsOf(answer);
    const messages = [...errorMessages, ...Object.entries(errors).map(([field, message]) => `${field}: ${message}`)];
    throw refusal(answer.status, shownText(messages.join('; ')));
  }

  private read<T>(schema: z.ZodType<T>, { text }: TargetAnswer): T {
    const parsed = schema.safeParse(jsonOf(text));
    if (!parsed.success) throw new ChannelError('the other side does not answer like Jira', false);
    return parsed.data;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const errorsOf = ({ text }: TargetAnswer): z.infer<typeof errorBody> =>
  errorBody.safeParse(jsonOf(text)).data ?? { errorMessages: [], errors: {} };
