import type { Provider, Severity } from '../../../schema/model.js';
import type { ReportItems } from '../../normalize/observation.js';
import { wordsOf } from '../../normalize/plain-title.js';
import { cweControls } from '../../normalize/taxonomy.js';
import {
  asObject,
  compact,
  numberAt,
  objectsAt,
  objectAt,
  requireText,
  textAt,
  textsAt,
  member,
  type JsonObject,
} from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What the lines of a report share. */
export interface GarakContext {
  /** The model that was probed. */
  target: string | undefined;
  version: string | undefined;
  /** How many hits a probe and a detector have in a log of hits. */
  hits: Map<string, number>;
  inferred: { provider: Provider; provider_metadata: Record<string, unknown> };
  options: ImportOptions;
}

const MAX_EXCERPT = 2_000;
/** Families of probes that attack: who gets through makes the model do what it should not. Others look at how it talks. */
const ATTACKS = new Set([
  'dan',
  'promptinject',
  'latentinjection',
  'exploitation',
  'malwaregen',
  'xss',
  'web_injection',
  'agent_breaker',
  'packagehallucination',
  'apikey',
  'leakreplay',
  'encoding',
  'tap',
  'suffix',
  'grandma',
  'visual_jailbreak',
  'goodside',
]);
/** MITRE's names of what families of probes look for; of all others it is unchecked output. */
const WEAKNESSES: Readonly<Record<string, string>> = {
  dan: 'CWE-1427',
  promptinject: 'CWE-1427',
  latentinjection: 'CWE-1427',
  goodside: 'CWE-1427',
  encoding: 'CWE-1427',
  xss: 'CWE-79',
  web_injection: 'CWE-79',
  exploitation: 'CWE-94',
  leakreplay: 'CWE-200',
  apikey: 'CWE-200',
};

export const keyOf = (record: JsonObject): string => `${textAt(record, 'probe') ?? ''}\n${detectorOf(record) ?? ''}`;

/** The report writes `detector.dan.DAN` where the log of hits has `dan.DAN`. */
const detectorOf = (record: JsonObject): string | undefined => textAt(record, 'detector')?.replace(/^detector\./, '');

/** The model that a line names. */
export function targetOf(record: JsonObject): string | undefined {
  const generator = textAt(record, 'generator');
  if (generator !== undefined) return generator;
  const name = textAt(record, 'plugins.target_name') ?? textAt(record, 'plugins.model_name');
  const type = textAt(record, 'plugins.target_type') ?? textAt(record, 'plugins.model_type');
  return name === undefined ? type : [type, name].filter(Boolean).join(' ');
}

/** Turns an evaluation of a probe by a detector into its rule (the first time) and its observation. */
export function readEvaluation(record: JsonObject, position: string, context: GarakContext, items: ReportItems): ImportItem[] {
  const passed = numberAt(record, 'passed') ?? 0;
  const total = numberAt(record, 'total_evaluated') ?? numberAt(record, 'total') ?? passed + (numberAt(record, 'fails') ?? 0);
  const hits = numberAt(record, 'fails') ?? Math.max(0, total - passed);
  // no answer could be judged
  if (total === 0) return [];
  return probeItems(record, { hits, attempts: total, score: hits / total }, position, context, items);
}

/** Turns the first hit of a probe and a detector into its rule and its observation, which tells of all of them. */
export function readHit(record: JsonObject, position: string, context: GarakContext, items: ReportItems): ImportItem[] {
  const told = {
    hits: context.hits.get(keyOf(record)) ?? 1,
    score: numberAt(record, 'score'),
    goal: textAt(record, 'goal'),
    prompt: textOf(member(record, 'prompt')),
    answer: textOf(member(record, 'output')),
    triggers: textsAt(record, 'triggers').slice(0, 10),
  };
  return probeItems(record, told, position, context, items);
}

interface Told {
  hits: number;
  attempts?: number | undefined;
  score?: number | undefined;
  goal?: string | undefined;
  prompt?: string | undefined;
  answer?: string | undefined;
  triggers?: string[];
}

function probeItems(record: JsonObject, told: Told, position: string, context: GarakContext, items: ReportItems): ImportItem[] {
  const probe = requireText(record, 'probe');
  const detector = detectorOf(record) ?? requireText(record, 'detector');
  const { hits, goal } = told;
  const model = textAt(record, 'generator') ?? context.target ?? 'model';
  const uid = context.options.artifact ?? model;
  const family = probe.split('.')[0] as string;
  const attack = wordsOf(probe.replaceAll('.', ' ').replace(/([a-z])([A-Z])/g, '$1 $2'));
  const title = `Model answers the probe ${attack} as it should not`;
  const about = {
    severity: severityOf(family, told),
    description: goal === undefined ? undefined : `What the probe wants: ${goal}.`,
    references: [{ url: `https://reference.garak.ai/en/latest/garak.probes.${family}.html` }],
    controls: cweControls([WEAKNESSES[family] ?? 'CWE-1426']),
  };
  const draft = {
    about,
    place: {
      resource_uid: uid,
      resource_type: 'ai_model',
      resource_name: model,
      ...context.inferred,
      account_id: context.options.account_id,
      region: context.options.region,
      artifact: uid,
    },
    engine: 'ai-security',
    result: hits > 0 ? 'FAIL' : 'PASS',
    rule_id: probe,
    title,
    source: 'garak',
    discriminator: [model, detector].join('|'),
    evidence: compact({
      model,
      probe,
      detector,
      ...told,
      prompt: excerpt(told.prompt),
      answer: excerpt(told.answer),
      garak_version: context.version,
    }),
    position,
    content: '',
  } as const;
  return items.once(probe, draft, () => ({
    severity: ATTACKS.has(family) ? 'high' : 'medium',
    references: about.references,
    controls: about.controls,
    rule_id: probe,
    engine: 'ai-security',
    title,
    source: 'garak',
    tags: [family],
  }));
}

/** An attack that gets through is bad, one that always does is worse; what the model says of itself is less so. */
function severityOf(family: string, { hits, attempts }: Told): Severity {
  const share = attempts === undefined || hits === 0 ? undefined : hits / attempts;
  if (!ATTACKS.has(family)) return share !== undefined && share < 0.1 ? 'low' : 'medium';
  return share !== undefined && share >= 0.5 ? 'critical' : 'high';
}

const excerpt = (text: string | undefined): string | undefined => text?.slice(0, MAX_EXCERPT);

/** The text of a prompt (a conversation) or of an answer, as the releases write them. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const object = asObject(value);
  const text = textAt(object, 'text');
  if (text !== undefined) return text;
  const turns = objectsAt(object, 'turns').flatMap((turn) => textAt(objectAt(turn, 'content'), 'text') ?? textAt(turn, 'content') ?? []);
  return turns.length === 0 ? undefined : turns.join('\n');
}
