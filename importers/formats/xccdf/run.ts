import type { Severity } from '../../../schema/model.js';
import { hostPlace } from '../../normalize/host.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import { attributeOf, childrenOf, textAt, textOf } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ControlReference, ImportOptions } from '../../types.js';
import { controlsOf } from './controls.js';

/** What a benchmark says of a rule. */
export interface XccdfRule {
  title: string | undefined;
  description: string | undefined;
  severity: Severity | undefined;
  fix: string | undefined;
  controls: ControlReference[];
  urls: string[];
  /** DISA's number of the requirement, and its name in the guide. */
  vulnerability: string | undefined;
  version: string | undefined;
}

const MAX_TEXT = 4_000;

/** What the results of a report share, as far as it was read. */
export class XccdfRun {
  benchmark: string | undefined;
  profile: string | undefined;
  hasBegun = false;
  private readonly rules = new Map<string, XccdfRule>();
  private names: (string | undefined)[] = [];
  private addresses: (string | undefined)[] = [];
  private known: PlaceDraft | undefined;

  constructor(private readonly options: ImportOptions) {}

  /** Results of a host begin. */
  begin(): void {
    this.hasBegun = true;
    this.names = [];
    this.addresses = [];
    this.profile = undefined;
    this.known = undefined;
  }

  target(name: string | undefined): void {
    this.names.push(name);
  }

  address(address: string | undefined): void {
    this.addresses.push(address);
  }

  /** Facts that name the host come before what it was called on the command line. */
  facts(facts: XmlElement): void {
    const of = (name: string): (string | undefined)[] =>
      childrenOf(facts, 'fact')
        .filter((fact) => attributeOf(fact, 'name')?.endsWith(`:asset:identifier:${name}`) === true)
        .map(textOf);
    this.names.unshift(...of('fqdn'), ...of('host_name'));
    this.addresses.push(...of('ipv4'));
  }

  get place(): PlaceDraft {
    this.known ??= hostPlace({ names: [this.options.artifact, ...this.names], addresses: this.addresses }, this.options);
    return this.known;
  }

  rule(rule: XmlElement, ancestors: readonly XmlElement[]): void {
    const id = attributeOf(rule, 'id');
    if (id === undefined) return;
    const description = textAt(rule, 'description');
    // DISA writes elements as text
    const discussion = /<VulnDiscussion>([\s\S]*?)<\/VulnDiscussion>/.exec(description ?? '')?.[1];
    const group = ancestors.findLast((element) => element.name === 'Group');
    this.rules.set(id, {
      title: textAt(rule, 'title'),
      description: (discussion ?? description)?.slice(0, MAX_TEXT),
      severity: toSeverity(attributeOf(rule, 'severity')),
      fix: (textAt(rule, 'fixtext') ?? textAt(rule, 'fix'))?.slice(0, MAX_TEXT),
      ...controlsOf(rule),
      vulnerability: /(?:^|_)(V-\d+)$/.exec(attributeOf(group, 'id') ?? '')?.[1],
      version: textAt(rule, 'version'),
    });
  }

  ruleOf(id: string): XccdfRule | undefined {
    return this.rules.get(id);
  }
}
