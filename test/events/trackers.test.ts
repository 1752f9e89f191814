import { createOutbound } from '../../kit/outbound/outbound.js';
import { fenced } from '../../subgraphs/events/channels/fenced.js';
import { githubApi } from '../../subgraphs/events/channels/github.js';
import { digestCard } from '../../subgraphs/events/channels/teams.js';
import type { Digest } from '../../subgraphs/events/channels/digest.js';
import type { NewIssue } from '../../subgraphs/events/channels/tracker.js';
import { trackerOf, type TrackerKind } from '../../subgraphs/events/channels/trackers.js';
import { checkIntegration } from '../../subgraphs/events/integrations/input.js';
import { trackerHooks } from '../../subgraphs/events/tickets/hooks.js';
import {
  GITHUB_TOKEN,
  GITLAB_TOKEN,
  SERVICE_NOW,
  startGithub,
  startGitlab,
  startServiceNow,
  trackerInputs,
  type TrackerStandIn,
} from '../support/trackers.js';

type Kind = keyof typeof trackerInputs;
const KINDS = Object.keys(trackerInputs) as Kind[];
const START = { github: startGithub, gitlab: startGitlab, servicenow: startServiceNow };

const outbound = createOutbound(['127.0.0.0/8']);
const stands = {} as Record<Kind, TrackerStandIn>;
beforeAll(async () => {
  for (const kind of KINDS) stands[kind] = await START[kind]();
});
afterAll(async () => {
  await Promise.all(KINDS.map((kind) => stands[kind].close()));
  await outbound.close();
});
beforeEach(() => KINDS.forEach((kind) => Object.assign(stands[kind], { fails: null, losesAnswers: false })));

interface More {
  settings?: Record<string, unknown>;
  credentials?: Record<string, unknown>;
}

/** The client of an integration whose fields were checked as those of a body are. */
function client(kind: Kind, { settings = {}, credentials }: More = {}) {
  const input = trackerInputs[kind](stands[kind].url);
  const whole = { ...input, settings: { ...input.settings, ...settings }, credentials: credentials ?? input.credentials };
  const checked = checkIntegration(kind, whole);
  return trackerOf<TrackerKind>(kind, outbound, checked.settings as never, checked.credentials as never);
}
/** What a client says as it refuses. */
const refused = async (asked: Promise<unknown>) => {
  const { message, retry } = await asked.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: Error & { retry: boolean }) => error,
  );
  return [message, retry];
};

const HOSTILE = 'Mentions @octocat, closes #1, ![x](https://evil.example/x.png)\n/close\n```\n</details>';
const issue = (more: Partial<NewIssue> = {}): NewIssue => ({
  summary: '[critical] A bucket is public',
  description: HOSTILE,
  marker: 'palisade-0123456789abcdef0123456789abcdef',
  severity: 'critical',
  ...more,
});

describe.each(KINDS)('%s', (kind) => {
  it('is tried out without making anything', async () => {
    await client(kind).test();
    expect(stands[kind].calls.filter((call) => call.startsWith('POST'))).toEqual([]);
  });

  it('makes a ticket that is found by its marker, its number, and again after a lost answer', async () => {
    const tracker = client(kind);
    expect(await tracker.findByMarker(issue().marker)).toBeNull();
    const key = await tracker.create(issue());
    expect([await tracker.findByMarker(issue().marker), await tracker.findIssue(key)]).toEqual([key, key]);
    expect(await tracker.findIssue(kind === 'servicenow' ? 'INC0009999' : '9999')).toBeNull();
    const before = stands[kind].calls.length;
    for (const strange of ['../../user', '1^ORnumberISNOTEMPTY', 'INC1^ORactive=true', '1/comments', ''])
      expect(await tracker.findIssue(strange)).toBeNull();
    expect(stands[kind].calls.length).toBe(before);
    stands[kind].losesAnswers = true;
    const other = issue({ marker: 'palisade-ffffffffffffffffffffffffffffffff' });
    expect(await refused(tracker.create(other))).toEqual(['the other side cannot be reached', true]);
    expect(await tracker.findByMarker(other.marker)).toBe(stands[kind].issues.at(-1)!.key);
  });

  it('comments on a ticket', async () => {
    const tracker = client(kind);
    const key = await tracker.create(issue());
    await tracker.comment(key, 'It is resolved.');
    expect(stands[kind].issues.find((one) => one.key === key)!.comments).toEqual(['It is resolved.']);
  });

  it('is tried again where the fault is for now, and not where it is refused', async () => {
    for (const [fails, retry] of [
      [[500, {}], true],
      [[429, {}], true],
      [[422, {}], false],
    ] as const) {
      stands[kind].fails = [...fails];
      expect(await refused(client(kind).create(issue()))).toEqual([`the other side answered ${fails[0]}`, retry]);
    }
    stands[kind].fails = [201, { html: 'a page of a proxy' }];
    expect(await refused(client(kind).create(issue()))).toEqual([expect.stringMatching(/^the other side does not answer like /), false]);
  });

  it('is called nowhere that the operator has not allowed', async () => {
    const input = trackerInputs[kind](stands[kind].url);
    const checked = checkIntegration(kind, input);
    const guarded = createOutbound([]);
    const before = stands[kind].calls.length;
    const tracker = trackerOf<TrackerKind>(kind, guarded, checked.settings as never, checked.credentials as never);
    expect(await refused(tracker.test())).toEqual([expect.stringMatching(/^The target /), false]);
    expect(stands[kind].calls.length).toBe(before);
    await guarded.close();
  });
});

describe('what each is sent', () => {
  it('GitHub: a fenced text, labels with that of the severity, its version and token', async () => {
    const { calls, issues, url } = stands.github;
    const key = await client('github').create(issue());
    expect(calls.at(-1)).toBe(`POST /api/v3/repos/acme/shop/issues Bearer ${GITHUB_TOKEN}`);
    expect(issues.at(-1)!.fields).toEqual({
      title: '[critical] A bucket is public',
      body: `\`\`\`\`text\n${HOSTILE}\n\`\`\`\`\n\n${issue().marker}`,
      labels: ['palisade', 'P1', 'good first issue'],
    });
    expect(client('github').urlOf(key)).toBe(`${url}/acme/shop/issues/${key}`);
    expect(await refused(client('github', { settings: { project: 'acme/read' } }).test())).toEqual([
      'whose token it is may not push to the repository, and so not set labels',
      false,
    ]);
    expect(await refused(client('github', { credentials: { token: 'another one' } }).test())).toEqual([
      'the other side answered 401: Bad credentials',
      false,
    ]);
    stands.github.fails = [403, { message: 'You have exceeded a secondary rate limit.' }];
    expect((await refused(client('github').create(issue())))[1]).toBe(true);
    stands.github.fails = [403, { message: 'Resource not accessible by personal access token' }];
    expect((await refused(client('github').create(issue())))[1]).toBe(false);
  });

  it('GitHub: at github.com and with a subdomain of its own the interface has another address', () => {
    expect(['https://github.com', 'https://acme.ghe.com', 'https://git.acme.example'].map(githubApi)).toEqual([
      'https://api.github.com/',
      'https://api.acme.ghe.com/',
      'https://git.acme.example/api/v3/',
    ]);
  });

  it('GitLab: the path of the project as one segment, labels as one text', async () => {
    const { calls, issues, url } = stands.gitlab;
    const key = await client('gitlab').create(issue());
    expect(calls.at(-1)).toBe(`POST /api/v4/projects/acme%2Fweb%2Fshop/issues ${GITLAB_TOKEN}`);
    expect(issues.at(-1)!.fields).toMatchObject({ labels: 'palisade', description: expect.stringMatching(/^````text\n/) as unknown });
    expect(client('gitlab').urlOf(key)).toBe(`${url}/acme/web/shop/-/issues/${key}`);
    expect(await refused(client('gitlab').create(issue({ summary: 'x'.repeat(256) })))).toEqual([
      'the other side answered 400: title: is too long (maximum is 255 characters)',
      false,
    ]);
  });

  it('ServiceNow: urgency and impact by severity, the marker as correlation id; a user, a token, or a token that a client fetches', async () => {
    const { calls, issues, url } = stands.servicenow;
    const { token, client_id, client_secret } = SERVICE_NOW;
    const key = await client('servicenow').create(issue({ summary: 'x'.repeat(300) }));
    expect(issues.at(-1)!.fields).toEqual({
      short_description: `${'x'.repeat(159)}…`,
      description: HOSTILE,
      correlation_id: issue().marker,
      correlation_display: 'Palisade',
      urgency: '1',
      impact: '1',
      assignment_group: 'Cloud team',
    });
    expect(client('servicenow').urlOf(key)).toBe(`${url}/incident.do?sysparm_query=number%3D${key}`);
    await client('servicenow', { credentials: { token } }).test();
    expect(calls.at(-1)).toBe(`GET /api/now/table/incident Bearer ${token}`);
    await client('servicenow', { credentials: { client_id, client_secret } }).test();
    expect(calls.slice(-2)).toEqual(['POST /oauth_token.do none', `GET /api/now/table/incident Bearer ${token}`]);
    const wrong = client('servicenow', { credentials: { client_id, client_secret: 'another secret' } });
    expect(await refused(wrong.test())).toEqual(['no token is given to the client: the other side answered 401', false]);
  });
});

it('no text ends the fence around it', () => {
  for (const text of ['plain', '```\nx\n```', '`````', 'a ` b', '']) {
    const [first, ...rest] = fenced(text).split('\n');
    const fence = rest.pop()!;
    expect(first).toBe(`${fence}text`);
    expect(text.split('\n').filter((line) => line.trim().startsWith(fence))).toEqual([]);
  }
});

it('a card of Teams is within its bound, in texts of which no Markdown is made, and counts what it leaves out', () => {
  const finding = {
    engine: 'check',
    finding_id: 'f'.repeat(32),
    severity: 'high',
    title: `[x](https://evil.example) ${'界'.repeat(400)}`,
    resource_name: '界'.repeat(400),
    resource_uid: 'u',
    account_id: '界'.repeat(60),
    region: '界'.repeat(40),
  };
  const digest = {
    id: '1',
    rule: { id: 'r', name: 'A rule' },
    event: 'new',
    total: 50,
    by_severity: { high: 50 },
    findings: Array(20).fill(finding),
  } as unknown as Digest;
  const card = digestCard(digest, 'https://palisade.example');
  expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThan(28_000);
  const { body } = card.attachments[0]!.content;
  expect(body.every(({ type, inlines }) => type === 'RichTextBlock' && inlines.every((one) => one.type === 'TextRun'))).toBe(true);
  const listed = body.length - 3;
  expect(listed).toBeGreaterThan(10);
  expect(body.at(-1)!.inlines[0]!.text).toBe(`and ${50 - listed} more`);
  expect(body[2]!.inlines[1]!.selectAction!.url).toContain('https://palisade.example/api/v1/views/finding/check/');
});

describe('settings', () => {
  it.each([
    ['github', { project: 'acme' }],
    ['github', { project: 'acme/shop/deep' }],
    ['github', { project: 'acme/../shop' }],
    ['github', { project: 'acme/..' }],
    ['github', { labels: ['one,two'] }],
    ['gitlab', { project: 'acme/shop?x' }],
    ['servicenow', { priority_mapping: [{ severity: 'high', priority: 'P1' }] }],
    ['servicenow', { project: 'SEC' }],
    ['servicenow', { url: 'https://dev1.service-now.com/?x' }],
  ] as const)('of %s that cannot be are refused: %j', (kind, settings) => {
    const input = trackerInputs[kind]('https://tracker.example');
    expect(() => checkIntegration(kind, { ...input, settings: { ...input.settings, ...settings } })).toThrow();
  });

  it('of forges have their public site, and ServiceNow takes one kind of credentials', () => {
    const { credentials } = trackerInputs.github('');
    expect(checkIntegration('github', { name: 'x', settings: { project: 'acme/shop' }, credentials }).settings).toMatchObject({
      url: 'https://github.com',
      status_mapping: [
        { ticket_status: 'open', finding_status: 'OPEN' },
        { ticket_status: 'closed', finding_status: 'RESOLVED' },
      ],
    });
    const desk = trackerInputs.servicenow('https://dev1.service-now.com');
    for (const wrong of [
      {},
      { username: 'only' },
      { ...desk.credentials, token: 'both of them' },
      { username: 'a:b', password: 'x' },
      { token: 'line\r\nbreak!' },
    ])
      expect(() => checkIntegration('servicenow', { ...desk, credentials: wrong })).toThrow();
  });
});

describe('hooks', () => {
  const hookOf = (kind: string) => trackerHooks.find((hook) => hook.kind === kind)!;
  const payloadOf = (kind: string, body: object) => hookOf(kind).jobOf('id', Buffer.from(JSON.stringify(body)))?.payload ?? null;

  it('of GitHub take closing and reopening, and nothing else', () => {
    const body = (action: string, state: string) => ({
      action,
      issue: { number: 7, state, updated_at: '2030-01-01T00:00:00Z' },
      repository: { full_name: 'acme/shop' },
    });
    expect(payloadOf('github', body('closed', 'closed'))).toEqual({
      integration_id: 'id',
      ...{ ticket_id: '7', project: 'acme/shop', ticket_status: 'closed', at: Date.UTC(2030, 0, 1) },
    });
    expect(payloadOf('github', body('labeled', 'open'))).toBeNull();
    expect(payloadOf('github', { zen: 'ping', hook_id: 1 })).toBeNull();
  });

  it('of GitLab take both forms of its times, and are proved by the secret itself', () => {
    const body = (updated_at: string) => ({
      object_kind: 'issue',
      object_attributes: { iid: 7, state: 'closed', action: 'close', updated_at },
      project: { path_with_namespace: 'acme/web/shop' },
    });
    for (const at of ['2030-01-01 00:00:00 UTC', '2030-01-01T00:00:00.000Z'])
      expect(payloadOf('gitlab', body(at))).toMatchObject({ at: Date.UTC(2030, 0, 1) });
    expect(payloadOf('gitlab', body('some day'))).toBeNull();
    expect(payloadOf('gitlab', { ...body('2030-01-01T00:00:00.000Z'), object_kind: 'note' })).toBeNull();
    const { isSigned } = hookOf('gitlab');
    const bytes = Buffer.from('{}');
    expect([
      isSigned(bytes, 'the secret', 'the secret'),
      isSigned(bytes, 'the secre', 'the secret'),
      isSigned(bytes, '', 'the secret'),
    ]).toEqual([true, false, false]);
  });
});
