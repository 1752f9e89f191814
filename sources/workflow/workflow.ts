import { isItem, type Item } from '../../importers/cloud/item.js';
import { expressionsIn, plainText } from './expressions.js';

interface Pair {
  name: string;
  value: string;
}

/**
 * A workflow in one form: triggers, permissions, and of each job where it runs, what it may do and its steps. Expressions stand without their
 * dollar sign, since the catalog takes `${` for a reference whose value nobody knows.
 */
export function workflowConfiguration(workflow: Item): Record<string, unknown> {
  const jobs = isItem(workflow.jobs) ? workflow.jobs : {};
  const env = pairsOf(workflow.env);
  return {
    on: triggersOf(workflow.on),
    ...permissionsOf(workflow.permissions),
    env,
    jobs: Object.entries(jobs).flatMap(([id, job]) => (isItem(job) ? [jobOf(id, job, env)] : [])),
  };
}

const textOf = (value: unknown): string =>
  value === undefined || value === null || typeof value === 'object' ? '' : plainText(String(value));
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).map(textOf).filter((text) => text !== '');

const triggersOf = (on: unknown): string[] => (isItem(on) ? Object.keys(on) : textsOf(on));

/** What the token may do, by scope; `all` where one word says it of all. Absent where the repository's settings decide. */
function permissionsOf(permissions: unknown): { permissions?: Record<string, string> } {
  if (permissions === undefined) return {};
  if (typeof permissions === 'string') return { permissions: { all: permissions.replace(/-all$/, '') } };
  const scopes = isItem(permissions) ? Object.entries(permissions).map(([scope, access]) => [scope, String(access)] as const) : [];
  return { permissions: scopes.length === 0 ? { all: 'none' } : Object.fromEntries(scopes) };
}

const pairsOf = (value: unknown): Pair[] =>
  isItem(value) ? Object.entries(value).map(([name, own]) => ({ name, value: textOf(own) })) : [];

function jobOf(id: string, job: Item, outer: readonly Pair[]): Record<string, unknown> {
  const env = pairsOf(job.env);
  const images = [job.container, ...(isItem(job.services) ? Object.values(job.services) : [])];
  return {
    id,
    runs_on: textsOf(isItem(job['runs-on']) ? job['runs-on'].labels : job['runs-on']),
    ...permissionsOf(job.permissions),
    condition: textOf(job.if),
    env,
    ...usesOf(job.uses),
    inherits_secrets: job.secrets === 'inherit',
    images: images.map((one) => textOf(isItem(one) ? one.image : one)).filter((image) => image !== ''),
    steps: (Array.isArray(job.steps) ? (job.steps as unknown[]) : []).flatMap((step) =>
      isItem(step) ? [stepOf(step, [...outer, ...env])] : [],
    ),
  };
}

function stepOf(step: Item, outer: readonly Pair[]): Record<string, unknown> {
  const env = pairsOf(step.env);
  const inputs = pairsOf(step.with);
  const run = textOf(step.run);
  // a script of actions/github-script is code, too
  const code = [run, ...inputs.filter(({ name }) => name === 'script').map(({ value }) => value)].join('\n');
  const known = new Map([...outer, ...env].map(({ name, value }) => [name, value]));
  return {
    name: textOf(step.name),
    ...usesOf(step.uses),
    run,
    condition: textOf(step.if),
    env,
    inputs,
    code_expressions: expressionsIn(code, known),
  };
}

/** What a step or a job uses, its owner, its version, and whether that is a commit, which nobody can move. */
function usesOf(uses: unknown): Record<string, unknown> {
  const action = textOf(uses);
  if (action === '') return {};
  if (action.startsWith('./')) return { action, local: true };
  if (action.startsWith('docker://')) return { action, image: action.slice(9), local: false };
  const [path = '', version = ''] = action.split('@');
  return {
    action: path,
    owner: path.split('/')[0]!.toLowerCase(),
    version,
    pinned: /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(version),
    local: false,
  };
}
