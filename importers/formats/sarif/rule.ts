import type { Severity } from '../../../schema/model.js';
import { asObject, member, objectAt, objectsAt, textAt, textsAt, type JsonObject, plainText } from '../../readers/json/fields.js';
import { severityOfScore, toSeverity } from '../../normalize/severity.js';
import { cweControls, findCwes, findTechniques, owaspControls } from '../../normalize/taxonomy.js';
import { toReferences } from '../../normalize/observation.js';
import type { ControlReference, Reference } from '../../types.js';

/** A rule of a tool (SARIF 2.1.0 section 3.49), as far as findings need it. */
export interface SarifRule {
  id: string;
  title: string | undefined;
  description: string | undefined;
  guidance: string | undefined;
  /** The help as its Markdown has it, beside its plain text. */
  markdown: string | undefined;
  /** The default level: `error`, `warning`, `note`, `none`. */
  level: string | undefined;
  securitySeverity: string | undefined;
  /** The tool's own word for it, where it has one beside the level. */
  severity: string | undefined;
  /** Former ids of the rule (section 3.49.4): other names of an advisory. */
  deprecatedIds: string[];
  /** What scanners of packages put into the properties. */
  facts: { purls: string[]; fixedVersion: string | undefined };
  tags: string[];
  cwes: string[];
  controls: ControlReference[];
  techniques: string[];
  references: Reference[];
  /** What it finds is a secret: the code around it must not be shown. */
  isSecret: boolean;
  messages: JsonObject | undefined;
}

/** Reads a reporting descriptor; undefined when it has no id. */
export function sarifRule(descriptor: JsonObject | undefined): SarifRule | undefined {
  const id = textAt(descriptor, 'id');
  if (descriptor === undefined || id === undefined) return undefined;
  const properties = objectAt(descriptor, 'properties');
  const help = sarifText(descriptor, 'help');
  const short = sarifText(descriptor, 'shortDescription');
  const name = textAt(descriptor, 'name');
  const tags = [...new Set([...textsAt(properties, 'tags'), ...textsAt(properties, 'owasp')])];
  const related = objectsAt(descriptor, 'relationships').flatMap((relation) => textAt(objectAt(relation, 'target'), 'id') ?? []);
  const cwes = findCwes([
    ...tags,
    ...textsAt(properties, 'cwe'),
    ...textsAt(properties, 'cwe_ids'),
    ...related,
    ...(short?.match(/\(CWE-\d+\)/g) ?? []),
  ]);
  return {
    id,
    title: short ?? (name !== undefined && /\s/.test(name) ? name : undefined),
    description: sarifText(descriptor, 'fullDescription') ?? short,
    guidance: help === short ? undefined : help,
    markdown: help === short ? undefined : sarifMarkdown(descriptor, 'help'),
    references: toReferences([textAt(descriptor, 'helpUri')]),
    level: textAt(objectAt(descriptor, 'defaultConfiguration'), 'level'),
    securitySeverity: textAt(properties, 'security-severity'),
    severity: textAt(properties, 'severity') ?? textAt(properties, 'cvssV3_severity'),
    deprecatedIds: textsAt(descriptor, 'deprecatedIds'),
    facts: { purls: textsAt(properties, 'purls'), fixedVersion: textAt(properties, 'fixed_version') },
    tags: tags.slice(0, 50),
    cwes,
    controls: [...cweControls(cwes), ...owaspControls(tags)],
    techniques: findTechniques(tags),
    isSecret:
      tags.some((tag) => /^(?:secrets?|hard-?coded-?(?:secret|credential|password)s?|(?:external\/cwe\/)?cwe-0?798)$/i.test(tag)) ||
      cwes.includes('CWE-798'),
    messages: objectAt(descriptor, 'messageStrings'),
  };
}

/** The text of a message or multiformat message member (sections 3.11, 3.12): plain text before Markdown. */
export function sarifText(object: JsonObject | undefined, key: string): string | undefined {
  const message = member(object, key);
  if (typeof message === 'string') return message.trim() === '' ? undefined : message;
  return textAt(asObject(message), 'text') ?? textAt(asObject(message), 'markdown');
}

/** The Markdown of a multiformat message member, where it has one. */
export function sarifMarkdown(object: JsonObject | undefined, key: string): string | undefined {
  return textAt(objectAt(object, key), 'markdown');
}

/** A message with its arguments put in (section 3.11.5): its own text, else the rule's message string of its id. */
export function sarifMessage(result: JsonObject, rule: SarifRule | undefined): string | undefined {
  const message = objectAt(result, 'message');
  const id = textAt(message, 'id');
  const text = sarifText(result, 'message') ?? (id === undefined ? undefined : sarifText(rule?.messages, id));
  const values = textsOf(member(message, 'arguments'));
  return values.length === 0 ? text : text?.replace(/\{(\d+)\}/g, (whole, index: string) => values[Number(index)] ?? whole);
}

/**
 * The severity of a result: `security-severity` (a CVSS-like score, as GitHub code scanning reads it) wins over the level,
 * of the result before the rule's default; the specification's own default is `warning` (section 3.27.10).
 */
export function sarifSeverity(result: JsonObject, rule: SarifRule | undefined): Severity {
  const score = textAt(objectAt(result, 'properties'), 'security-severity') ?? rule?.securitySeverity;
  const number = score === undefined ? NaN : Number(score);
  if (number >= 0 && number <= 10) return severityOfScore(number);
  const word = toSeverity(score);
  if (word !== undefined) return word;
  const kind = textAt(result, 'kind');
  if (kind === 'informational') return 'info';
  return toSeverity(textAt(result, 'level')) ?? toSeverity(rule?.level) ?? 'medium';
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(plainText).filter((text) => text !== '') : [];
}
