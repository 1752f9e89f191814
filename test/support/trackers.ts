import type { ServerResponse } from 'node:http';
import { startStandIn, type StandIn, type StandInRequest } from './stand-in.js';

/** An issue of any tracker, as it was asked for. */
export interface MadeIssue {
  key: string;
  fields: Record<string, unknown>;
  comments: string[];
}

export interface TrackerStandIn extends StandIn {
  readonly issues: MadeIssue[];
  /** Method, path and authentication of every call. */
  readonly calls: string[];
  /** What every call is answered with instead, when set: a status and a body. */
  fails: [number, object] | null;
  /** Creations are carried out, and their answers lost. */
  losesAnswers: boolean;
}

type Answer = [number, unknown] | null;

/** A tracker: what `answer` gives, as JSON; null loses the connection. */
async function startTracker(
  authenticationOf: (headers: StandInRequest['headers']) => string | undefined,
  answer: (request: StandInRequest, issues: MadeIssue[], state: { losesAnswers: boolean }) => Answer,
): Promise<TrackerStandIn> {
  const issues: MadeIssue[] = [];
  const calls: string[] = [];
  const state = { fails: null as TrackerStandIn['fails'], losesAnswers: false };
  const send = (response: ServerResponse, [status, body]: [number, unknown]) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = await startStandIn((request, response) => {
    calls.push(`${request.method} ${request.url.pathname} ${authenticationOf(request.headers) ?? 'none'}`);
    const given = state.fails ?? answer(request, issues, state);
    if (given) send(response, given);
    else response.destroy();
  });
  return Object.assign(state, { ...server, issues, calls });
}

export const GITHUB_TOKEN = 'github_pat_of_the_stand_in';
export const REPOSITORY = 'acme/shop';

const read = (body: string) => JSON.parse(body) as Record<string, unknown>;

/** GitHub Enterprise Server with one repository, whose issues a token may write (docs.github.com, REST API 2022-11-28). */
export const startGithub = (): Promise<TrackerStandIn> =>
  startTracker(
    ({ authorization }) => authorization,
    ({ method, url, headers, body }, issues, state) => {
      if (headers.authorization !== `Bearer ${GITHUB_TOKEN}`) return [401, { message: 'Bad credentials' }];
      if (headers['x-github-api-version'] !== '2022-11-28') return [400, { message: 'no version' }];
      if (headers.accept !== 'application/vnd.github+json') return [415, { message: 'no media type' }];
      if (!headers['user-agent']) return [403, { message: 'Request forbidden by administrative rules.' }];
      const path = url.pathname.replace('/api/v3/', '');
      if (method === 'GET' && path === 'repos/acme/shop') return [200, { has_issues: true, permissions: { pull: true, push: true } }];
      if (method === 'GET' && path === 'repos/acme/read') return [200, { has_issues: true, permissions: { pull: true, push: false } }];
      if (method === 'GET' && path === 'search/issues') {
        const [, marker] = /^"([^"]+)" in:body is:issue repo:acme\/shop$/.exec(url.searchParams.get('q') ?? '') ?? [];
        if (marker === undefined) return [422, { message: 'Validation Failed', errors: [{ field: 'q', code: 'invalid' }] }];
        const alike = { number: 999, body: 'only looks alike' };
        const items = issues.filter(({ fields }) => String(fields['body']).includes(marker));
        return [
          200,
          { total_count: items.length, items: [alike, ...items.map(({ key, fields }) => ({ number: Number(key), ...fields }))] },
        ];
      }
      if (method === 'POST' && path === 'repos/acme/shop/issues') {
        const fields = read(body);
        if (typeof fields['title'] !== 'string' || fields['title'].length > 256)
          return [422, { message: 'Validation Failed', errors: [{ resource: 'Issue', field: 'title', code: 'invalid' }] }];
        const key = String(issues.length + 1);
        issues.push({ key, fields, comments: [] });
        return state.losesAnswers ? null : [201, { id: 7, number: Number(key), html_url: 'x' }];
      }
      const [, key, comment] = /^repos\/acme\/shop\/issues\/(\d+)(\/comments)?$/.exec(path) ?? [];
      const issue = issues.find((one) => one.key === key);
      if (!issue) return [404, { message: 'Not Found' }];
      if (comment) {
        issue.comments.push(String(read(body)['body']));
        return [201, { id: 1 }];
      }
      return [200, { number: Number(key) }];
    },
  );

export const GITLAB_TOKEN = 'glpat-of-the-stand-in';
export const PROJECT = 'acme/web/shop';

/** GitLab with one project (docs.gitlab.com, Issues API). */
export const startGitlab = (): Promise<TrackerStandIn> =>
  startTracker(
    (headers) => headers['private-token'] as string | undefined,
    ({ method, url, headers, body }, issues, state) => {
      if (headers['private-token'] !== GITLAB_TOKEN) return [401, { message: '401 Unauthorized' }];
      const [, project, path = ''] = /^\/api\/v4\/projects\/([^/]+)(.*)$/.exec(url.pathname) ?? [];
      if (project !== 'acme%2Fweb%2Fshop') return [404, { message: '404 Project Not Found' }];
      if (method === 'GET' && path === '') return [200, { id: 5, issues_access_level: 'enabled', archived: false }];
      if (method === 'GET' && path === '/issues') {
        const marker = url.searchParams.get('search') ?? '';
        if (url.searchParams.get('in') !== 'description') return [400, { error: 'in is invalid' }];
        return [
          200,
          issues.filter(({ fields }) => String(fields['description']).includes(marker)).map(({ key }) => ({ iid: Number(key) })),
        ];
      }
      if (method === 'POST' && path === '/issues') {
        const fields = read(body);
        if (typeof fields['title'] !== 'string' || fields['title'].length > 255)
          return [400, { message: { title: ['is too long (maximum is 255 characters)'] } }];
        const key = String(issues.length + 1);
        issues.push({ key, fields, comments: [] });
        return state.losesAnswers ? null : [201, { id: 70, iid: Number(key), web_url: 'x' }];
      }
      const [, key, note] = /^\/issues\/(\d+)(\/notes)?$/.exec(path) ?? [];
      const issue = issues.find((one) => one.key === key);
      if (!issue) return [404, { message: '404 Not found' }];
      if (note) {
        issue.comments.push(String(read(body)['body']));
        return [201, { id: 1 }];
      }
      return [200, { iid: Number(key) }];
    },
  );

export const SERVICE_NOW = {
  username: 'palisade.robot',
  password: 'a pass:word',
  client_id: 'an-oauth-client',
  client_secret: 'its-secret-of-oauth',
  token: 'an-oauth-token',
};

/** An instance of ServiceNow: incidents by the Table API, and OAuth tokens for a client. */
export const startServiceNow = (): Promise<TrackerStandIn> =>
  startTracker(
    ({ authorization }) => authorization,
    ({ method, url, headers, body }, issues, state) => {
      if (method === 'POST' && url.pathname === '/oauth_token.do') {
        const form = Object.fromEntries(new URLSearchParams(body));
        const { client_id, client_secret } = SERVICE_NOW;
        const isRight =
          form['grant_type'] === 'client_credentials' && form['client_id'] === client_id && form['client_secret'] === client_secret;
        return isRight
          ? [200, { access_token: SERVICE_NOW.token, token_type: 'Bearer', expires_in: 1_799 }]
          : [401, { error: 'access_denied' }];
      }
      const basic = `Basic ${Buffer.from(`${SERVICE_NOW.username}:${SERVICE_NOW.password}`).toString('base64')}`;
      if (![basic, `Bearer ${SERVICE_NOW.token}`].includes(headers.authorization ?? ''))
        return [401, { error: { message: 'User Not Authenticated', detail: 'Required to provide Auth information' }, status: 'failure' }];
      const [, id] = /^\/api\/now\/table\/incident(?:\/([0-9a-f]{32}))?$/.exec(url.pathname) ?? [];
      const idOf = (key: string) => key.replace('INC', '').padStart(32, '0');
      const shown = ({ key }: MadeIssue) => ({ sys_id: idOf(key), number: key });
      if (id === undefined && method === 'GET') {
        const [, column, value] = /^(correlation_id|number)=([^^]+)/.exec(url.searchParams.get('sysparm_query') ?? '') ?? [];
        const found = issues.filter((one) => (column === 'number' ? one.key : one.fields[column ?? '']) === value);
        return [200, { result: found.slice(0, 1).map(shown) }];
      }
      if (id === undefined && method === 'POST') {
        const fields = read(body);
        if (String(fields['short_description']).length > 160) return [400, { error: { message: 'too long', detail: null } }];
        const made = { key: `INC${String(issues.length + 1).padStart(7, '0')}`, fields, comments: [] };
        issues.push(made);
        return state.losesAnswers ? null : [201, { result: shown(made) }];
      }
      const issue = issues.find(({ key }) => idOf(key) === id);
      if (!issue || method !== 'PATCH') return [404, { error: { message: 'No Record found', detail: 'Record does not exist' } }];
      issue.comments.push(String(read(body)['work_notes']));
      return [200, { result: shown(issue) }];
    },
  );

export interface Card {
  type: string;
  attachments: {
    contentType: string;
    content: { type: string; version: string; body: { type: string; inlines: { type: string; text: string }[] }[] };
  }[];
}

/** A workflow of Teams that takes cards: 202 without a body, as Power Automate answers. */
export async function startTeams(): Promise<StandIn & { readonly hook: string; readonly cards: Card[] }> {
  const cards: Card[] = [];
  const server = await startStandIn(({ method, url, headers, body }, response) => {
    const say = (status: number, text = '') => response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    if (
      method !== 'POST' ||
      url.pathname !== '/workflows/one/triggers/manual/paths/invoke' ||
      url.searchParams.get('sig') !== 'secret-of-teams'
    )
      return say(401, '{"error":{"code":"DirectApiAuthorizationRequired","message":"not this signature"}}');
    if (headers['content-type'] !== 'application/json' || Buffer.byteLength(body) > 28_000) return say(413);
    const message = JSON.parse(body) as Card;
    const [first] = message.attachments;
    if (
      message.type !== 'message' ||
      first?.contentType !== 'application/vnd.microsoft.card.adaptive' ||
      first.content.type !== 'AdaptiveCard'
    )
      return say(400, '{"error":{"code":"TriggerInputSchemaMismatch"}}');
    cards.push(message);
    return say(202);
  });
  return { ...server, hook: `${server.url}/workflows/one/triggers/manual/paths/invoke?api-version=1&sig=secret-of-teams`, cards };
}

export const trackerInputs = {
  github: (url: string) => ({
    kind: 'github' as const,
    name: 'Repository',
    settings: { url, project: REPOSITORY, labels: ['good first issue'], priority_mapping: [{ severity: 'critical', priority: 'P1' }] },
    credentials: { token: GITHUB_TOKEN, hook_secret: 'a secret of the repository' },
  }),
  gitlab: (url: string) => ({
    kind: 'gitlab' as const,
    name: 'Project',
    settings: { url, project: PROJECT },
    credentials: { token: GITLAB_TOKEN, hook_secret: 'a secret of the project' },
  }),
  servicenow: (url: string) => ({
    kind: 'servicenow' as const,
    name: 'Desk',
    settings: { url, assignment_group: 'Cloud team' },
    credentials: { username: SERVICE_NOW.username, password: SERVICE_NOW.password },
  }),
};
