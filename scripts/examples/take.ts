import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateSync } from 'otplib';
import { runAll, type Running } from '../../processes/run.js';
import { engines } from '../../subgraphs/index.js';
import type { Example, Examples } from '../../rest/openapi-examples.js';
import type { OpenApiDocument } from '../../rest/openapi.js';
import { loadConfig } from '../../kit/base/config.js';
import type { Clock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import { jobs } from '../../kit/work/jobs.js';
import { printable } from './printable.js';
import { CHANGING, MAKING, PATHS, type Person, type Step } from './scenario.js';
import { UNTAKEN } from './untaken.js';

// The store drops what has ended by the clock of the machine, so this one is ahead of it.
const NOW = new Date('2030-01-15T09:00:00.000Z');
const PASSWORD = 'only for the generator';
const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const clock: Clock = { now: () => new Date(NOW) };

interface Operation {
  operationId: string;
  parameters: { name?: string; in?: string; required?: boolean; $ref?: string }[];
}

/** An operation with its method and path. */
interface Endpoint extends Operation {
  readonly method: string;
  readonly path: string;
}

const endpointsOf = (document: OpenApiDocument): Endpoint[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...(operation as unknown as Operation), method: method.toUpperCase(), path })),
  );

/** A member of an answer: `items.0.finding_id`. */
const memberOf = (answer: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], answer);

/** The calls of the scenario against one running product, and what they gave. */
class Taker {
  readonly examples: Record<string, Example> = {};
  readonly problems: string[] = [];
  readonly #remembered = new Map<string, string>();
  readonly #cookies = new Map<string, string>();

  constructor(
    readonly url: string,
    readonly endpoints: ReadonlyMap<string, Endpoint>,
  ) {}

  /** Signs a person in, with the second factor where it is asked for; the calls of it are examples, too. */
  async signIn(person: Person): Promise<void> {
    const email = person === 'support' ? 'support@palisade.example' : `${person}@acme.example`;
    const login = await this.#post('login', { email, password: PASSWORD });
    let answer = login;
    if (login.body.status !== 'ok') {
      const code = generateSync({ secret: TOTP_SECRET, epoch: NOW.getTime() / 1000 });
      answer = await this.#post('verify_second_step', { challenge_id: login.body.challenge_id, code });
    }
    this.#cookies.set(person, answer.cookie ?? '');
  }

  async #post(operation: string, body: Record<string, unknown>) {
    const response = await fetch(`${this.url}${this.endpoints.get(operation)!.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    this.examples[operation] ??= { request: body, response: answer };
    return { body: answer, cookie: response.headers.get('set-cookie')?.split(';', 1)[0] };
  }

  /** Makes one call and keeps it as the example of its operation, unless it was refused. */
  async take({ operation, as = 'admin', parameters = {}, body, file, remember = {} }: Step): Promise<void> {
    const endpoint = this.endpoints.get(operation);
    if (!endpoint) return void this.problems.push(`${operation}: there is no such operation`);
    const values = new Map(Object.entries(parameters).map(([name, value]) => [name, this.#value(value)]));
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values.get(name) ?? '';
      values.delete(name);
      return encodeURIComponent(value);
    });
    const query = new URLSearchParams([...values]).toString();
    const response = await fetch(`${this.url}${path}${query && `?${query}`}`, {
      method: endpoint.method,
      redirect: 'manual',
      headers: {
        accept: operation === 'graphql_by_get' ? 'application/graphql-response+json' : '*/*',
        cookie: this.#cookies.get(as) ?? '',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(file && { body: readFileSync(`demo/reports/${file}`) }),
    });
    const text = await response.text();
    if (response.status >= 300) return void this.problems.push(`${operation}: ${response.status} ${text.slice(0, 300)}`);
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const answer: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
    for (const [name, member] of Object.entries(remember)) this.#remembered.set(name, String(memberOf(answer, member)));
    const given = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, this.#value(value)]));
    this.examples[operation] ??= {
      ...(Object.keys(given).length > 0 && { parameters: given }),
      ...(body && { request: body }),
      ...(answer !== undefined && { response: answer }),
    };
  }

  /** Reads with GET all that has no example yet, a row a page. */
  async readAll(): Promise<void> {
    for (const { operationId, method, path, parameters } of this.endpoints.values()) {
      if (method !== 'GET' || this.examples[operationId] || NOT_READ.has(path)) continue;
      const asked = parameters.filter((parameter) => parameter.in === 'query' && parameter.required).map(({ name }) => name!);
      const named = [...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!), ...asked];
      const known = named.map((name) => [name, PATHS[`${operationId}.${name}`] ?? PATHS[name]] as const);
      const missing = known.filter(([, value]) => value === undefined);
      if (missing.length > 0) {
        this.problems.push(`${operationId}: no value for ${missing.map(([name]) => name).join(', ')}; add it to PATHS`);
        continue;
      }
      const pages = parameters.some(({ name, $ref }) => name === 'page_size' || $ref?.endsWith('/page_size'));
      await this.take({
        operation: operationId,
        parameters: { ...Object.fromEntries(known as [string, string][]), ...(pages && { page_size: '1' }) },
      });
    }
  }

  /** Ids that were made by chance and look like those that were not: of the key and of the session. */
  get randomIds(): readonly string[] {
    return ['$key', '$session'].map((name) => this.#value(name));
  }

  #value(text: string): string {
    return text.startsWith('$') ? (this.#remembered.get(text.slice(1)) ?? text) : text;
  }
}

/** Pages of signing in, which take the token of a link or lead to a provider, what describes itself, work that is under way, and what is counted by the way. */
const NOT_READ = new Set([
  '/auth/invite',
  '/auth/password/reset',
  '/auth/second-step',
  '/auth/saml/login',
  '/auth/saml/finish',
  '/auth/oauth/login',
  '/auth/oauth/callback',
  '/api/auth/oauth/{tenant_id}/callback',
  '/api/v1/jobs/{id}',
  '/api/v1/billing/usage',
  '/api/v1/exports/{id}',
  '/api/v1/exports/{id}/download',
  '/api/v1/scan-runs/{scan_run_id}/events',
  '/api/v1/webhooks/{id}/deliveries',
  '/api/v1/pipeline/runs',
  '/api/v1/pipeline/runs/{scan_run_id}',
  '/gateway/openapi.json',
  '/gateway/docs',
  '/gateway/explorer',
  '/metrics',
]);

/** Waits until nothing is to be done in the background any more, so that it is not chance what an answer shows of it. */
async function settled({ database, storeClock }: Running['opened']['services']): Promise<void> {
  const left = () => database.system(jobs).count({ state: { $in: ['queued', 'leased'] }, due_at: { $lte: storeClock.now() } });
  while ((await left()) > 0) await sleep(50);
}

/** Does now what is done again and again. */
async function round(name: string, services: Running['opened']['services']): Promise<void> {
  const task = engines.flatMap(({ background = [] }) => background).find((one) => one.name === name);
  if (!task || !('work' in task)) throw new Error(`there is no periodic task ${name}`);
  await task.work(services, new AbortController().signal);
}

/**
 * Starts the product in memory with the demo, under a clock that stands, calls what the scenario names and reads all that there is to read.
 * The same program gives the same examples: what is random in an answer is replaced by what is not, and what is secret by a word.
 * @returns the examples, and what could not be taken
 */
export async function takeExamples(document: OpenApiDocument): Promise<{ examples: Examples; problems: readonly string[] }> {
  const env = {
    PORT: '0',
    DEMO_PASSWORD: PASSWORD,
    DEMO_TOTP_SECRET: TOTP_SECRET,
    PALISADE_SECRET: 'the secret of the generator of examples',
  };
  const running = await runAll(
    loadConfig({ ...env, RATE_LIMITS: 'enterprise=100000/100000', PUBLIC_URL: 'https://palisade.example.com' }, ['--memory']),
    createLogger('silent'),
    {
      clock,
    },
  );
  try {
    await running.demo?.load();
    await settled(running.opened.services);
    const taker = new Taker(running.url!, new Map(endpointsOf(document).map((endpoint) => [endpoint.operationId, endpoint])));
    for (const person of ['admin', 'org-admin', 'support'] as const) await taker.signIn(person);
    for (const step of MAKING) await taker.take(step);
    await settled(running.opened.services);
    // while the clock stands, how a tenant stands is noted once, and it is chance when
    await round('findings.snapshots', running.opened.services);
    await round('audit.verification', running.opened.services);
    await taker.readAll();
    for (const step of CHANGING) {
      await taker.take(step);
      await settled(running.opened.services);
    }
    const examples = Object.entries({ ...UNTAKEN, ...taker.examples }).map(
      ([operation, example]) =>
        [operation, operation in taker.examples ? (printable(example, taker.randomIds) as Example) : example] as const,
    );
    return { examples: Object.fromEntries(examples.sort(([a], [b]) => (a < b ? -1 : 1))), problems: taker.problems };
  } finally {
    await running.close();
  }
}
