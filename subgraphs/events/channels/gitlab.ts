import { z } from 'zod';
import type { Outbound } from '../../../kit/outbound/outbound.js';
import { ChannelError } from './channel-error.js';
import { fenced } from './fenced.js';
import type { RepositoryCredentials, RepositorySettings } from './github.js';
import { JsonTarget } from './json-target.js';
import { OURS, priorityOf, type NewIssue, type Tracker } from './tracker.js';

const numbered = z.object({ iid: z.number().int().positive() });
const project = z.object({ archived: z.boolean().default(false), issues_access_level: z.string().optional() });
const errorBody = z.union([
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ message: z.record(z.string(), z.array(z.string())) }).transform(({ message }) =>
    Object.entries(message)
      .map(([field, said]) => `${field}: ${said.join(', ')}`)
      .join('; '),
  ),
  z.object({ error: z.string() }).transform(({ error }) => error),
]);

/** GitLab's REST interface, version 4, of gitlab.com or of a site of one's own. */
export class GitlabClient implements Tracker {
  private readonly target: JsonTarget;
  private readonly issues: string;

  constructor(
    outbound: Outbound,
    private readonly settings: RepositorySettings,
    { token }: RepositoryCredentials,
  ) {
    this.issues = `projects/${encodeURIComponent(settings.project)}/issues`;
    this.target = new JsonTarget(outbound, {
      name: 'GitLab',
      base: `${settings.url}/api/v4/`,
      headers: { 'private-token': token },
      messageOf: (body) => errorBody.safeParse(body).data ?? '',
    });
  }

  async test(): Promise<void> {
    const found = await this.target.ask(project, 'GET', `projects/${encodeURIComponent(this.settings.project)}`);
    if (found.issues_access_level === 'disabled') throw new ChannelError(`the project ${this.settings.project} has no issues`, false);
    if (found.archived) throw new ChannelError(`the project ${this.settings.project} is archived`, false);
  }

  /** A marker is a line of the text: labels would fill the project's list of them. */
  async findByMarker(marker: string): Promise<string | null> {
    const query = new URLSearchParams({ search: marker, in: 'description', order_by: 'created_at', sort: 'asc', per_page: '1' });
    const [first] = await this.target.ask(z.array(numbered), 'GET', `${this.issues}?${query.toString()}`);
    return first ? String(first.iid) : null;
  }

  async findIssue(key: string): Promise<string | null> {
    const [, number] = /^#?([1-9]\d{0,9})$/.exec(key) ?? [];
    if (number === undefined) return null;
    const issue = await this.target.find(numbered, `${this.issues}/${number}`);
    return issue && String(issue.iid);
  }

  async create({ summary, description, marker, severity }: NewIssue): Promise<string> {
    const priority = priorityOf(this.settings, severity);
    const labels = [...new Set([OURS, ...(priority === null ? [] : [priority]), ...this.settings.labels])].join(',');
    const body = { title: summary, description: `${fenced(description)}\n\n${marker}`, labels };
    return String((await this.target.ask(numbered, 'POST', this.issues, body)).iid);
  }

  async comment(key: string, text: string): Promise<void> {
    await this.target.ask(z.unknown(), 'POST', `${this.issues}/${key}/notes`, { body: text });
  }

  urlOf(key: string): string {
    return `${this.settings.url}/${this.settings.project}/-/issues/${key}`;
  }
}
