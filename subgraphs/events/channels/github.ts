import { z } from 'zod';
import type { Outbound } from '../../../kit/outbound/outbound.js';
import { ChannelError } from './channel-error.js';
import { fenced } from './fenced.js';
import { JsonTarget } from './json-target.js';
import { OURS, priorityOf, type NewIssue, type StatusMapping, type Tracker, type TrackerSettings } from './tracker.js';

/** What may be shown of a connection to a repository's issues, at GitHub or GitLab. */
export interface RepositorySettings extends TrackerSettings {
  /** Path of the repository or project: `owner/name`. */
  project: string;
  labels: string[];
  status_mapping: StatusMapping;
}

/** What is kept sealed of it. */
export interface RepositoryCredentials {
  token: string;
  /** What its webhooks are signed with, or carry; without one, no status comes back. */
  hook_secret?: string;
}

const numbered = z.object({ number: z.number().int().positive() });
const repository = z.object({
  has_issues: z.boolean(),
  archived: z.boolean().default(false),
  permissions: z.object({ push: z.boolean().default(false) }).optional(),
});
const found = z.object({ items: z.array(numbered.extend({ body: z.string().nullable() })) });
const errorBody = z.object({ message: z.string(), errors: z.array(z.object({ field: z.string(), code: z.string() })).catch([]) });

function messageOf(body: unknown): string {
  const said = errorBody.safeParse(body).data;
  return said ? [said.message, ...said.errors.map(({ field, code }) => `${field}: ${code}`)].join('; ') : '';
}

/** Where the interface of a site is: GitHub, GitHub Enterprise Cloud with its own subdomain, or GitHub Enterprise Server. */
export function githubApi(site: string): string {
  const { hostname, protocol, host } = new URL(site);
  return hostname === 'github.com' || hostname.endsWith('.ghe.com') ? `${protocol}//api.${host}/` : `${site}/api/v3/`;
}

/** GitHub's REST interface, as of 2022-11-28. */
export class GithubClient implements Tracker {
  private readonly target: JsonTarget;

  constructor(
    outbound: Outbound,
    private readonly settings: RepositorySettings,
    { token }: RepositoryCredentials,
  ) {
    this.target = new JsonTarget(outbound, {
      name: 'GitHub',
      base: githubApi(settings.url),
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        'user-agent': 'Palisade',
      },
      messageOf,
      // GitHub refuses what is over its rates with 403 as well
      mayRetry: (status, message) => status === 403 && /rate limit/i.test(message),
    });
  }

  /** Labels are dropped without a word where the token may not push. */
  async test(): Promise<void> {
    const { has_issues, archived, permissions } = await this.target.ask(repository, 'GET', `repos/${this.settings.project}`);
    if (!has_issues) throw new ChannelError(`the repository ${this.settings.project} has no issues`, false);
    if (archived) throw new ChannelError(`the repository ${this.settings.project} is archived`, false);
    if (permissions?.push === false)
      throw new ChannelError('whose token it is may not push to the repository, and so not set labels', false);
  }

  /** A marker is a line of the text: labels would fill the repository's list of them. */
  async findByMarker(marker: string): Promise<string | null> {
    const q = `"${marker}" in:body is:issue repo:${this.settings.project}`;
    const query = new URLSearchParams({ q, sort: 'created', order: 'asc', per_page: '10' }).toString();
    const { items } = await this.target.ask(found, 'GET', `search/issues?${query}`);
    // a search may find what only looks alike
    const first = items.find(({ body }) => body?.includes(marker));
    return first ? String(first.number) : null;
  }

  async findIssue(key: string): Promise<string | null> {
    const [, number] = /^#?([1-9]\d{0,9})$/.exec(key) ?? [];
    if (number === undefined) return null;
    const issue = await this.target.find(numbered, `repos/${this.settings.project}/issues/${number}`);
    return issue && String(issue.number);
  }

  async create({ summary, description, marker, severity }: NewIssue): Promise<string> {
    const priority = priorityOf(this.settings, severity);
    const labels = [...new Set([OURS, ...(priority === null ? [] : [priority]), ...this.settings.labels])];
    const body = `${fenced(description)}\n\n${marker}`;
    const made = await this.target.ask(numbered, 'POST', `repos/${this.settings.project}/issues`, { title: summary, body, labels });
    return String(made.number);
  }

  async comment(key: string, text: string): Promise<void> {
    await this.target.ask(z.unknown(), 'POST', `repos/${this.settings.project}/issues/${key}/comments`, { body: text });
  }

  urlOf(key: string): string {
    return `${this.settings.url}/${this.settings.project}/issues/${key}`;
  }
}
