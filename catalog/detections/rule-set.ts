import type { Provider } from '../../schema/model.js';
import { aboutOf, compileRule, correlatedValue, type CompiledRule, type DetectionAbout } from './compile.js';
import { withinBudget } from './budget.js';
import type { DetectedEvent } from './event-fields.js';
import { DetectionError, LOGS, readDetectionFiles, type DetectionSources, type LogName } from './rule-file.js';

/** That an event is what a rule looks for. */
export interface Match {
  readonly rule_id: string;
  /** Of a rule that counts different values, those of the event (`valuesOf`); of a sequence the steps that the event may be (`stepsOf`). */
  readonly value?: string;
  /** Of a rule that counts by where events came from, their address. */
  readonly address?: string;
}

/** What a rule that matches raises, itself or by way of correlations. */
interface Raised {
  readonly rule: CompiledRule;
  readonly as: readonly { readonly rule_id: string; readonly value: (event: DetectedEvent) => string | undefined }[];
}

/** Rules of one log, by the call that they want. */
interface OfLog {
  readonly byAction: Map<string, Raised[]>;
  readonly others: Raised[];
}

/** Rules, indexed so that an event is held against those alone that may be about it. */
export class DetectionRules {
  readonly all: ReadonlyMap<string, DetectionAbout>;
  private readonly byLog = new Map<LogName, OfLog>();

  /** @throws DetectionError with every mistake in the rules */
  constructor({ rules, correlations }: DetectionSources) {
    const mistakes: string[] = [];
    const tried = <Made>(name: string, make: () => Made): Made | undefined => {
      try {
        return make();
      } catch (error) {
        mistakes.push(`${name}: ${(error as Error).message}`);
        return undefined;
      }
    };
    const abouts = new Map<string, DetectionAbout>();
    const byName = new Map(rules.map((rule) => [rule.name, rule]));
    for (const source of [...rules, ...correlations]) {
      const about = tried(source.name, () => aboutOf(source, byName));
      if (about && abouts.has(about.rule_id)) mistakes.push(`${source.name} is the name of two rules`);
      if (about) abouts.set(about.rule_id, about);
    }
    for (const { name, correlation } of correlations)
      for (const named of correlation.rules)
        if (!byName.has(named)) mistakes.push(`${name}: it asks for events of "${named}", which is no rule`);
    for (const source of rules) {
      const rule = tried(source.name, () => withinBudget(compileRule(source)));
      const counting = correlations.filter(({ correlation }) => correlation.rules.includes(source.name));
      const as = counting.flatMap((one) => {
        const value = tried(one.name, () => correlatedValue(one, source));
        return value ? [{ rule_id: `palisade-detection-${one.name}`, value }] : [];
      });
      const own = { rule_id: `palisade-detection-${source.name}`, value: () => undefined };
      // what is of interest in its order alone raises nothing
      const raisesOwn = counting.length === 0 || (source.level !== 'info' && counting.every(({ correlation }) => correlation.generate));
      if (rule) this.add({ rule, as: raisesOwn ? [own, ...as] : as });
      if (!raisesOwn) abouts.delete(own.rule_id);
    }
    if (mistakes.length > 0) throw new DetectionError(mistakes);
    this.all = abouts;
  }

  /** What rules see in an event. */
  match(event: DetectedEvent & { readonly provider: Provider; readonly log: string }): Match[] {
    const own = this.rulesOf(event);
    if (own === undefined) return [];
    const found: Match[] = [];
    const steps = new Map<string, string[]>();
    for (const candidates of [own.byAction.get(event.action.toLowerCase()), own.others])
      for (const { rule, as } of candidates ?? []) {
        if (!rule.matches(event)) continue;
        for (const { rule_id, value } of as) {
          const kept = value(event);
          const about = this.all.get(rule_id);
          const address = about?.by === 'source_ip' ? event.source_ip : undefined;
          if (about?.by === 'source_ip' && address === undefined) continue;
          if (about?.sequence && kept !== undefined) steps.set(rule_id, [...(steps.get(rule_id) ?? []), kept]);
          else found.push({ rule_id, ...(kept !== undefined && { value: kept }), ...(address !== undefined && { address }) });
        }
      }
    for (const [rule_id, own] of steps) found.push({ rule_id, value: own.sort().join(' ') });
    return found;
  }

  /** How many rules an event is held against. */
  candidates(event: DetectedEvent & { readonly provider: Provider; readonly log: string }): number {
    const own = this.rulesOf(event);
    return own === undefined ? 0 : (own.byAction.get(event.action.toLowerCase())?.length ?? 0) + own.others.length;
  }

  private rulesOf(event: { readonly provider: Provider; readonly log: string }): OfLog | undefined {
    const log = logOf(event);
    return log && this.byLog.get(log);
  }

  private add(raised: Raised): void {
    const { log, actions } = raised.rule;
    const own = this.byLog.get(log) ?? { byAction: new Map<string, Raised[]>(), others: [] };
    this.byLog.set(log, own);
    if (actions === null) own.others.push(raised);
    else
      for (const action of actions) {
        const list = own.byAction.get(action) ?? [];
        own.byAction.set(action, list);
        list.push(raised);
      }
  }
}

const OF_PROVIDER: Readonly<Partial<Record<Provider, LogName>>> = Object.fromEntries(
  Object.entries(LOGS).flatMap(([name, { provider, logs }]) => (logs === null ? [[provider, name]] : [])),
);

/** The log that an event is of, as rules name it. */
function logOf({ provider, log }: { readonly provider: Provider; readonly log: string }): LogName | undefined {
  if (provider !== 'azure') return OF_PROVIDER[provider];
  return log === 'directory' ? 'azure/auditlogs' : log.startsWith('sign_in') ? 'azure/signinlogs' : 'azure/activitylogs';
}

/** The steps of a sequence that a match says an event may be. */
export const stepsOf = ({ value }: { readonly value?: string | undefined }): number[] =>
  (value ?? '').split(' ').flatMap((step) => (step === '' ? [] : Number(step)));

/** The values that an event adds to a count of different ones, as digests. */
export const valuesOf = ({ value }: { readonly value?: string | undefined }): string[] => (value ? value.split(' ') : []);

let loaded: DetectionRules | undefined;

/** The rules that come with the product. Loaded once a thread. @throws DetectionError */
export function loadDetections(): DetectionRules {
  loaded ??= new DetectionRules(readDetectionFiles());
  return loaded;
}
