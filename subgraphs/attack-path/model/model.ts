import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { STEP_KINDS, type Tier } from '../../../kit/graph/types.js';
import { SEVERITIES, type Severity } from '../../../schema/model.js';

const sentence = z.string().min(1);
const figure = z.strictObject({ value: z.number().gt(0).max(1), reason: sentence, reference: z.url().optional() });
const FIGURES = [
  'known_exploited',
  'least_vulnerability',
  'most_vulnerability',
  'unknown_listener',
  'no_authentication',
  'weak_authentication',
  'public_data',
  'leaked_key',
  'console_without_mfa',
  'open_trust',
  'code_to_identity',
  'forged_requests_metadata_v1',
  'forged_requests_metadata_v2',
  'container_escape',
  'node_to_its_pods',
  'escalation',
  'escalation_conditional',
  'stolen_credential',
  'supply_chain',
  'data_access',
  'data_access_conditional',
  'within_grant',
  'within_network',
] as const;
export type Figure = (typeof FIGURES)[number];

const kindSchema = z.strictObject({
  ...{ label: sentence, abuse: sentence, notice: sentence, fix: sentence },
  techniques: z.array(z.string().regex(/^T\d{4}(\.\d{3})?$/)).min(1),
  effort: z.int().min(1).max(5),
});
const severity = z.enum(SEVERITIES);
const modelSchema = z.strictObject({
  figures: z.record(z.enum(FIGURES), figure),
  kinds: z.record(z.enum(STEP_KINDS), kindSchema),
  severities: z.array(z.strictObject({ likelihood: z.number(), critical: severity, high: severity, medium: severity, low: severity })),
  needs_key: z.array(z.string()),
});

const SIGNALS = [
  'public_endpoint',
  'public_data',
  'no_authentication',
  'weak_authentication',
  'leaked_credential',
  'weak_sign_in',
  'open_trust',
  'metadata_v1',
  'escape',
] as const;
/** What findings tell of an attacker's way beside vulnerabilities. */
export type Signal = (typeof SIGNALS)[number];
const signalsSchema = z.record(
  z.enum(SIGNALS),
  z.strictObject({
    description: sentence,
    engines: z.array(z.string()).min(1),
    rules: z.array(z.string()).min(1),
    otherwise: z.array(z.string()).min(1).optional(),
  }),
);
const listenersSchema = z.array(z.strictObject({ packages: z.array(z.string()), ports: z.array(z.int()) }));

const read = (file: string): unknown => load(readFileSync(new URL(`../${file}.yaml`, import.meta.url), 'utf8'));

export type PathModel = z.infer<typeof modelSchema>;
let model: PathModel | undefined;
/** The figures, texts and severities of attack paths. @throws where the file is not of the form */
export const pathModel = (): PathModel => (model ??= modelSchema.parse(read('steps')));

/** The probability that a step goes by. */
export const valueOf = (name: Figure): number => pathModel().figures[name].value;

/** What a path is worth by its likelihood and by the tier of what it leads to. */
export const severityOf = (likelihood: number, tier: Tier): Severity =>
  pathModel().severities.find((line) => likelihood >= line.likelihood)![tier];

/** Every text that a pattern with `{a,b}` stands for. */
export function alternatives(pattern: string): string[] {
  const found = /\{([^{}]*)\}/.exec(pattern);
  if (!found) return [pattern];
  return found[1]!
    .split(',')
    .flatMap((one) => alternatives(pattern.slice(0, found.index) + one + pattern.slice(found.index + found[0].length)));
}

/** The rules that tell a signal, those that tell most precisely first, and the engines that hold their findings. */
export interface SignalRules {
  readonly signal: Signal;
  readonly description: string;
  readonly engines: readonly string[];
  readonly rules: readonly string[];
  /** Those of them that count where no other tells the signal of the same resource. */
  readonly otherwise: ReadonlySet<string>;
}

export const signals = (): SignalRules[] =>
  Object.entries(signalsSchema.parse(read('signals'))).map(([signal, { description, engines, rules, otherwise = [] }]) => ({
    signal: signal as Signal,
    description,
    engines,
    rules: [...rules, ...otherwise].flatMap(alternatives),
    otherwise: new Set(otherwise.flatMap(alternatives)),
  }));

/** The ports at which a package is known to listen; undefined where that is not known. */
export function listenersOf(): (packageName: string) => readonly number[] | undefined {
  const lines = listenersSchema.parse(read('listeners')).flatMap(({ packages, ports }) => packages.map((name) => ({ name, ports })));
  const matches = (pattern: string, name: string): boolean => {
    const [front, back] = [pattern.startsWith('*'), pattern.endsWith('*')];
    const text = pattern.slice(front ? 1 : 0, back ? -1 : undefined);
    if (front && back) return name.includes(text);
    if (front) return name.endsWith(text);
    return back ? name.startsWith(text) : name === text;
  };
  return (packageName) => lines.find(({ name }) => matches(name, packageName.toLowerCase()))?.ports;
}
