import type { CelInput } from '@bufbuild/cel';
import { OPEN_WORLD } from '../../schema/unknown-paths.js';
import { spend } from './budget.js';
import { trafficRules } from './firewall/readers.js';
import type { TrafficRule } from './firewall/traffic-rule.js';
import { BlockValue, toCelValue } from './value.js';

/** A resource as rules are asked about it. */
export interface Subject {
  resource_uid: string;
  resource_type: string;
  resource_name?: string | undefined;
  provider: string;
  region: string;
  account_id?: string | undefined;
  tags?: Readonly<Record<string, string>> | undefined;
  /** Terraform's values, or a manifest in Terraform's form. */
  configuration: Readonly<Record<string, unknown>>;
  /** Attribute paths that the source does not know yet. */
  unknown_paths?: readonly string[] | undefined;
}

/** Attributes of firewalls that hold their rules, or are those of a rule. */
const RULE_ATTRIBUTES = [
  ...['ingress', 'egress', 'security_rule', 'allow', 'deny', 'rule', 'rules', 'match', 'access', 'direction', 'entry', 'port_range'],
  ...['ingress_security_rules', 'egress_security_rules', 'ingress_acl_entries', 'egress_acl_entries'],
];

/** Those of them that are blocks: a reference in the place of one stands for blocks that nobody can count. */
const RULE_BLOCKS = ['ingress', 'egress', 'security_rule', 'allow', 'deny', 'rule', 'entry'];
const isReference = (value: unknown): boolean => typeof value === 'string' && value.includes('${');

/** Where a resource stands: what refers to it, and what else there is. */
export interface Surroundings {
  /**
   * Configurations of resources of these types that refer to the resource by the attribute, or by any for `""`; undefined where none is shown and
   * nobody knows whether there are any.
   */
  companions(subject: Subject, types: readonly string[], attribute: string): readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Configurations of all resources of these types in the same inventory and account; undefined as above. */
  resources(subject: Subject, types: readonly string[]): readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** `asset` of an expression: facts about the resource, and the way to what is around it. */
export class AssetValue extends BlockValue {
  private rules: TrafficRule[] | undefined;

  constructor(
    private readonly subject: Subject,
    private readonly surroundings: Surroundings,
  ) {
    super({
      type: subject.resource_type,
      name: subject.resource_name ?? '',
      provider: subject.provider,
      region: subject.region,
      account_id: subject.account_id ?? '',
      tags: subject.tags ?? {},
    });
  }

  /** The rules of a firewall-like resource. */
  traffic(): TrafficRule[] {
    if (this.hidesRules()) throw new Error(`the source does not tell the rules of ${this.subject.resource_type}`);
    this.rules ??= trafficRules(this.subject.resource_type, this.subject.configuration);
    // the same number whether or not another rule has asked before
    spend(10 * this.rules.length);
    return this.rules;
  }

  /** Whether the source tells that there is a firewall and nothing of its rules, or only that some of them depend on what nobody knows yet. */
  private hidesRules(): boolean {
    const { unknown_paths = [], configuration, resource_type: type } = this.subject;
    // a rule of its own has no such blocks, and may have a switch of the name
    if (!type.endsWith('_rule') && RULE_BLOCKS.some((name) => [configuration[name]].flat().some(isReference))) return true;
    return unknown_paths.includes(OPEN_WORLD) && !RULE_ATTRIBUTES.some((name) => Object.hasOwn(configuration, name));
  }

  companions(types: readonly string[], attribute: string): CelInput[] {
    return inputsOf(types, this.surroundings.companions(this.subject, types, attribute));
  }

  resources(types: readonly string[]): CelInput[] {
    return inputsOf(types, this.surroundings.resources(this.subject, types));
  }
}

function inputsOf(types: readonly string[], found: readonly Readonly<Record<string, unknown>>[] | undefined): CelInput[] {
  if (found === undefined) throw new Error(`the source does not tell ${types.join(', ')}`);
  spend(2 * found.length);
  return found.map(asInput);
}

const asInput = (configuration: Readonly<Record<string, unknown>>): CelInput => toCelValue(configuration) as CelInput;
