import type { CelInput } from '@bufbuild/cel';
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

/** Where a resource stands: what refers to it, and what else there is. */
export interface Surroundings {
  /** Configurations of resources of these types that refer to the resource by the attribute, or by any for `""`. */
  companions(subject: Subject, types: readonly string[], attribute: string): readonly Readonly<Record<string, unknown>>[];
  /** Configurations of all resources of these types in the same inventory and account. */
  resources(subject: Subject, types: readonly string[]): readonly Readonly<Record<string, unknown>>[];
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
    this.rules ??= trafficRules(this.subject.resource_type, this.subject.configuration);
    // the same number whether or not another rule has asked before
    spend(10 * this.rules.length);
    return this.rules;
  }

  companions(types: readonly string[], attribute: string): CelInput[] {
    return counted(this.surroundings.companions(this.subject, types, attribute)).map(asInput);
  }

  resources(types: readonly string[]): CelInput[] {
    return counted(this.surroundings.resources(this.subject, types)).map(asInput);
  }
}

function counted<T>(found: readonly T[]): readonly T[] {
  spend(2 * found.length);
  return found;
}

const asInput = (configuration: Readonly<Record<string, unknown>>): CelInput => toCelValue(configuration) as CelInput;
