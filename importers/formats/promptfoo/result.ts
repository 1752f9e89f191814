import type { Provider } from '../../../schema/model.js';
import { shortHash } from '../../normalize/identity.js';
import type { ReportItems } from '../../normalize/observation.js';
import { wordsOf } from '../../normalize/plain-title.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { toSeverity } from '../../normalize/severity.js';
import { BrokenRecord, member, numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What the results of a report share. */
export interface PromptfooContext {
  /** The providers that were tested: `openai:gpt-4o`, `file://agent.js`. */
  targets: string[];
  inferred: { provider: Provider; provider_metadata: Record<string, unknown> };
  options: ImportOptions;
}

const MAX_EXCERPT = 2000;
/** `failureReason` of a test that ended in an error: nothing was judged. */
const ENDED_IN_ERROR = 2;

/** Turns one result into its rule (the first time) and its observation. */
export function readPromptfooResult(
  record: JsonObject,
  { position }: JsonValueItem,
  context: PromptfooContext,
  items: ReportItems,
): ImportItem[] {
  const success = member(record, 'success');
  const grading = objectAt(record, 'gradingResult');
  const testCase = objectAt(record, 'testCase');
  if (typeof success !== 'boolean' && grading === undefined) throw new BrokenRecord('success is missing, and so is gradingResult');
  const passed = typeof success === 'boolean' ? success : member(grading, 'pass') === true;
  if (!passed && (numberAt(record, 'failureReason') === ENDED_IN_ERROR || (grading === undefined && textAt(record, 'error') !== undefined)))
    return [];
  const metadata = { ...objectAt(testCase, 'metadata'), ...objectAt(record, 'metadata') };
  const components = objectsAt(grading, 'componentResults');
  const decisive = components.find((component) => member(component, 'pass') === false) ?? components[0];
  const assertion = objectAt(decisive, 'assertion') ?? objectAt(grading, 'assertion') ?? objectsAt(testCase, 'assert')[0];
  const detector = textAt(assertion, 'type');
  const plugin = textAt(metadata, 'pluginId');
  const ruleId = plugin ?? `assert/${detector ?? 'unknown'}`;
  const provider = objectAt(record, 'provider');
  const target = textAt(provider, 'id') ?? textAt(record, 'provider') ?? 'model';
  const prompt = objectAt(record, 'prompt');
  const strategy = textAt(metadata, 'strategyId');
  const subject = textAt(metadata, 'harmCategory') ?? (plugin === undefined ? undefined : wordsOf(plugin.replace(/:/g, ' ')));
  const title =
    subject === undefined ? `Model fails the test ${detector ?? ''}`.trim() : `Model fails the probe for ${subject.toLowerCase()}`;
  const reason = textAt(grading, 'reason') ?? textAt(record, 'error');
  const about = {
    severity: toSeverity(textAt(metadata, 'severity')) ?? ('medium' as const),
    description: textAt(metadata, 'goal') ?? textAt(testCase, 'description') ?? textAt(record, 'description'),
  };
  const uid = context.options.artifact ?? target;
  const draft = {
    about,
    place: {
      resource_uid: uid,
      resource_type: 'ai_model',
      resource_name: textAt(provider, 'label') ?? target,
      ...context.inferred,
      account_id: context.options.account_id,
      region: context.options.region,
      artifact: uid,
    },
    engine: 'ai-security',
    result: passed ? 'PASS' : 'FAIL',
    rule_id: ruleId,
    title,
    source: 'promptfoo',
    // what was asked, and how: the answer differs from run to run
    discriminator: [
      target,
      strategy ?? '',
      shortHash(JSON.stringify([textAt(prompt, 'label'), objectAt(testCase, 'vars') ?? objectAt(record, 'vars')])),
    ].join('|'),
    evidence: {
      model: textAt(provider, 'label') ?? target,
      probe: plugin,
      detector,
      score: numberAt(record, 'score') ?? numberAt(grading, 'score'),
      attempts: 1,
      hits: passed ? 0 : 1,
      strategy,
      prompt: excerpt(member(prompt, 'raw')),
      answer: excerpt(member(objectAt(record, 'response'), 'output')),
      reason,
      status_detail: reason,
    },
    position,
    content: passed ? 'PASS' : 'FAIL',
  } as const;
  return items.of(ruleId, draft, () => ({
    ...about,
    rule_id: ruleId,
    engine: 'ai-security',
    title,
    source: 'promptfoo',
    tags: plugin === undefined ? ['evaluation'] : ['red-team'],
  }));
}

function excerpt(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : value === undefined || value === null ? undefined : JSON.stringify(value);
  return text?.slice(0, MAX_EXCERPT);
}
