import { z } from 'zod';
import type { Outbound } from '../../../kit/outbound/outbound.js';
import { ChannelError } from './channel-error.js';
import { basic } from './basic.js';
import type { JiraCredentials, JiraSettings } from './jira-settings.js';
import { jsonOf, JsonTarget } from './json-target.js';
import { OURS, priorityOf, type NewIssue, type Tracker } from './tracker.js';

const errorBody = z.object({ errorMessages: z.array(z.string()).default([]), errors: z.record(z.string(), z.string()).default({}) });
const keyed = z.object({ key: z.string().regex(/^[A-Z][A-Z0-9_]*-\d+$/) });
const project = z.object({ issueTypes: z.array(z.object({ name: z.string() })) });
const found = z.object({ issues: z.array(keyed) });

const errorsOf = (body: unknown): z.infer<typeof errorBody> => errorBody.safeParse(body).data ?? { errorMessages: [], errors: {} };

function messageOf(body: unknown): string {
  const { errorMessages, errors } = errorsOf(body);
  return [...errorMessages, ...Object.entries(errors).map(([field, message]) => `${field}: ${message}`)].join('; ');
}

/** Calls one Jira: Cloud (API 3, e-mail address and API token) or Data Center (API 2, personal access token). */
export class JiraClient implements Tracker {
  private readonly cloud: boolean;
  private readonly target: JsonTarget;

  constructor(
    outbound: Outbound,
    private readonly settings: JiraSettings,
    { username, token }: JiraCredentials,
  ) {
    this.cloud = username !== undefined;
    const authorization = username === undefined ? `Bearer ${token}` : basic(username, token);
    const base = `${settings.url}/rest/api/${this.cloud ? 3 : 2}/`;
    this.target = new JsonTarget(outbound, { name: 'Jira', base, headers: { authorization }, messageOf });
  }

  /** Whether the credentials, the project and its type of issue hold. @throws ChannelError */
  async test(): Promise<void> {
    await this.target.ask(z.unknown(), 'GET', 'myself');
    const { issueTypes } = await this.target.ask(project, 'GET', `project/${this.settings.project}`);
    if (!issueTypes.some(({ name }) => name === this.settings.issue_type))
      throw new ChannelError(`the project ${this.settings.project} has no issue type ${this.settings.issue_type}`, false);
  }

  /** Markers are labels here. */
  async findByMarker(marker: string): Promise<string | null> {
    const jql = `project = "${this.settings.project}" AND labels = "${marker}" ORDER BY created ASC`;
    const query = new URLSearchParams({ jql, fields: 'key', maxResults: '1' }).toString();
    const { issues } = await this.target.ask(found, 'GET', `${this.cloud ? 'search/jql' : 'search'}?${query}`);
    return issues[0]?.key ?? null;
  }

  async findIssue(key: string): Promise<string | null> {
    return (await this.target.find(keyed, `issue/${encodeURIComponent(key)}?fields=status`))?.key ?? null;
  }

  /** A project without priorities gets it without one. */
  async create(issue: NewIssue): Promise<string> {
    const fields = {
      project: { key: this.settings.project },
      issuetype: { name: this.settings.issue_type },
      summary: issue.summary,
      description: this.plain(issue.description),
      labels: [...new Set([OURS, issue.marker, ...this.settings.labels])],
    };
    const priority = priorityOf(this.settings, issue.severity);
    const first = await this.target.call('POST', 'issue', { fields: { ...fields, ...(priority && { priority: { name: priority } }) } });
    const again = first.status === 400 && priority !== null && 'priority' in errorsOf(jsonOf(first.text)).errors;
    const answer = again ? await this.target.call('POST', 'issue', { fields }) : first;
    return this.target.read(keyed, answer).key;
  }

  async comment(key: string, text: string): Promise<void> {
    await this.target.ask(z.unknown(), 'POST', `issue/${encodeURIComponent(key)}/comment`, { body: this.plain(text) });
  }

  urlOf(key: string): string {
    return `${this.settings.url}/browse/${key}`;
  }

  /** Text of which Jira makes no markup: a document of text nodes, or a block that is not formatted. */
  private plain(text: string): unknown {
    if (!this.cloud) return `{noformat}\n${text.replaceAll(/\{(?=noformat)/gi, '{ ')}\n{noformat}`;
    const paragraph = (line: string) => ({ type: 'paragraph', content: line === '' ? [] : [{ type: 'text', text: line }] });
    return { type: 'doc', version: 1, content: text.split('\n').map(paragraph) };
  }
}
