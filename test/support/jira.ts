import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { startStandIn, type StandIn, type StandInRequest } from './stand-in.js';

interface Issue {
  key: string;
  fields: Record<string, unknown> & { summary: string; labels: string[]; description: unknown };
  comments: unknown[];
}

export const JIRA_USER = 'robot@example.com';
export const JIRA_TOKEN = 'a token of the stand-in';
export const HOOK_SECRET = 'a secret of the hook, long enough';

/** A Jira with one project, SEC: Cloud (REST API 3, Basic) and Data Center (REST API 2, Bearer) at one address. */
export interface JiraStandIn extends StandIn {
  readonly issues: Map<string, Issue>;
  /** Creations are carried out, and their answers lost. */
  losesAnswers: boolean;
  /** The project's screen has no priority. */
  hasPriority: boolean;
  /** What every call is answered with instead, when set. */
  fails: number | null;
  readonly calls: string[];
}

const refuse = (response: ServerResponse, status: number, errorMessages: string[], errors: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ errorMessages, errors }));
const send = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export async function startJira(): Promise<JiraStandIn> {
  const basic = `Basic ${Buffer.from(`${JIRA_USER}:${JIRA_TOKEN}`).toString('base64')}`;
  const issues = new Map<string, Issue>();
  const state = { losesAnswers: false, hasPriority: true, fails: null as number | null };
  const calls: string[] = [];

  const create = (
    { fields }: { fields: Issue['fields'] & { project: { key: string }; issuetype: { name: string } } },
    version: string,
    response: ServerResponse,
  ) => {
    if (fields.project.key !== 'SEC') return refuse(response, 400, [], { project: 'valid project is required' });
    if (fields.issuetype.name !== 'Bug' && fields.issuetype.name !== 'Task')
      return refuse(response, 400, [], { issuetype: 'Specify a valid issue type' });
    if (!state.hasPriority && fields['priority'])
      return refuse(response, 400, [], { priority: "Field 'priority' cannot be set. It is not on the appropriate screen, or unknown." });
    if (version === '3' && typeof fields.description !== 'object')
      return refuse(response, 400, [], {
        description: 'Operation value must be an Atlassian Document (see the Atlassian Document Format)',
      });
    if (version === '2' && typeof fields.description !== 'string')
      return refuse(response, 400, [], { description: 'Operation value must be a string' });
    if (typeof fields.summary !== 'string' || fields.summary.length > 255 || fields.summary.includes('\n'))
      return refuse(response, 400, [], { summary: 'The summary is invalid because it contains newline characters.' });
    const key = `SEC-${issues.size + 1}`;
    issues.set(key, { key, fields, comments: [] });
    if (state.losesAnswers) return response.destroy();
    return send(response, { id: String(10_000 + issues.size), key, self: `/rest/api/${version}/issue/${key}` }, 201);
  };

  const answer = ({ method, url, headers, body }: StandInRequest, response: ServerResponse) => {
    const [, version = '', path = ''] = /^\/rest\/api\/([23])\/(.*)$/.exec(url.pathname) ?? [];
    calls.push(`${method} ${path}`);
    if (state.fails !== null) return refuse(response, state.fails, ['the stand-in fails']);
    const authorized = headers.authorization === (version === '3' ? basic : `Bearer ${JIRA_TOKEN}`);
    if (!authorized) return refuse(response, 401, ['Client must be authenticated to access this resource.']);
    if (path === 'myself') return send(response, { accountId: 'robot', emailAddress: JIRA_USER });
    if (path === 'project/SEC') return send(response, { key: 'SEC', issueTypes: [{ name: 'Task' }, { name: 'Bug' }] });
    if (path.startsWith('project/')) return refuse(response, 404, [`No project could be found with key '${path.slice(8)}'.`]);
    if (path === (version === '3' ? 'search/jql' : 'search')) {
      const [, label] = /^project = "SEC" AND labels = "([^"]+)" ORDER BY created ASC$/.exec(url.searchParams.get('jql') ?? '') ?? [];
      if (label === undefined) return refuse(response, 400, ['Error in the JQL Query']);
      return send(response, {
        issues: [...issues.values()].filter(({ fields }) => fields.labels.includes(label)).map(({ key }) => ({ key })),
      });
    }
    if (method === 'POST' && path === 'issue') return create(JSON.parse(body) as Parameters<typeof create>[0], version, response);
    const [, key = '', comment] = /^issue\/([A-Z]+-\d+)(\/comment)?$/.exec(path) ?? [];
    const issue = issues.get(key);
    if (!issue) return refuse(response, 404, ['Issue does not exist or you do not have permission to see it.']);
    if (comment) issue.comments.push((JSON.parse(body) as { body: unknown }).body);
    return send(response, comment ? {} : { key: issue.key, fields: { status: { name: 'To Do' } } }, comment ? 201 : 200);
  };

  const server = await startStandIn((request, response) => void answer(request, response));
  return Object.assign(state, { ...server, issues, calls });
}

/** What Jira posts when an issue moves. @param at milliseconds since 1970 */
export const movedBody = (key: string, status: string, at: number): string =>
  JSON.stringify({
    timestamp: at,
    webhookEvent: 'jira:issue_updated',
    issue_event_type_name: 'issue_generic',
    user: { accountId: 'somebody' },
    issue: { id: '10001', key, fields: { summary: 'Anything', status: { name: status, statusCategory: { key: 'done' } } } },
    changelog: { id: '1', items: [{ field: 'status', fieldtype: 'jira', from: '1', fromString: 'To Do', to: '3', toString: status }] },
  });

/** The signature header that Jira sends. */
export const hubSignature = (body: string, secret = HOOK_SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** An integration with the stand-in. */
export const jiraInput = (url: string, more: { settings?: object; credentials?: object } = {}) => ({
  kind: 'jira',
  name: 'Tracker',
  settings: { url, project: 'SEC', issue_type: 'Bug', labels: ['security'], ...more.settings },
  credentials: { username: JIRA_USER, token: JIRA_TOKEN, hook_secret: HOOK_SECRET, ...more.credentials },
});
