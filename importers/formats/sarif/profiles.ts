import type { Severity } from '../../../schema/model.js';
import { firstSentence, MAX_TITLE, wordsOf } from '../../normalize/plain-title.js';
import { isGuess, secretClass } from '../../normalize/secret-classes.js';
import { toSeverity } from '../../normalize/severity.js';
import { textAt, type JsonObject } from '../../readers/json/fields.js';
import { eslintSeverity } from '../eslint/severity.js';
import type { SarifRule } from './rule.js';

/** What a profile judges by. */
export interface SarifFacts {
  tool: string;
  ruleId: string;
  rule: SarifRule | undefined;
  message: string | undefined;
  level: string | undefined;
  /** `properties` of the result. */
  properties: JsonObject | undefined;
}

/** What a tool puts elsewhere than the specification says, or says in words of its own. */
interface SarifProfile {
  tools: RegExp;
  /** The title that its users know, where it is not the rule's. */
  title?: (facts: SarifFacts) => string | undefined;
  /** The severity that its users know; undefined where it says none. */
  severity?: (facts: SarifFacts) => Severity | undefined;
}

/** SonarQube's five severities (its documentation, "Issues": severity). */
const SONAR: Readonly<Record<string, Severity>> = { blocker: 'critical', critical: 'high', major: 'medium', minor: 'low', info: 'info' };

const amongTags = ({ rule }: SarifFacts): Severity | undefined =>
  toSeverity(rule?.tags.find((tag) => /^(?:CRITICAL|HIGH|MEDIUM|LOW)$/.test(tag)));

/** `High severity - Prototype Pollution vulnerability in lodash`, `CVE-2024-1 high vulnerability for openssl package`. */
const inTitle = ({ rule }: SarifFacts): Severity | undefined => {
  const [, before, within] = /^(\w+) severity\b|\b(critical|high|medium|low|negligible) vulnerability\b/i.exec(rule?.title ?? '') ?? [];
  return toSeverity(before ?? within);
};

const sentence = ({ message }: SarifFacts): string | undefined => message && firstSentence(message);

const PROFILES: readonly SarifProfile[] = [
  // the rules have no title but the message, or `Semgrep Finding: <rule id>`
  { tools: /^(?:semgrep|opengrep)/i, title: sentence },
  // the scanner's own severity stands among the tags; the number is a vendor's or NVD's
  { tools: /^(?:trivy|gosec|docker scout)/i, severity: amongTags },
  { tools: /^(?:grype|snyk)/i, severity: inTitle },
  // what has no CVE is named by its title, twice
  {
    tools: /^dependency-check/i,
    title: ({ ruleId, message }) => (message === `${ruleId} - ${ruleId}` ? ruleId : undefined),
    severity: inTitle,
  },
  { tools: /eslint/i, severity: ({ ruleId, level }) => eslintSeverity(ruleId, level === 'error' ? 2 : 1) },
  // linters that call all that they find an error; S are the rules that Ruff has of Bandit
  { tools: /^ruff/i, severity: ({ ruleId }) => (/^S\d/.test(ruleId) ? 'medium' : 'low') },
  { tools: /^golangci-lint/i, severity: ({ ruleId }) => (ruleId === 'gosec' ? 'medium' : 'low') },
  // every failed check is an error, unless the platform has rated it
  { tools: /^(?:checkov|bridgecrew|prisma cloud)/i, severity: ({ rule }) => (rule?.securitySeverity === undefined ? 'medium' : undefined) },
  { tools: /sonar/i, severity: (facts) => SONAR[wordOf(facts)?.toLowerCase() ?? ''] },
  {
    tools: /^gitleaks/i,
    title: ({ ruleId }) => `${secretClass(ruleId)?.label ?? wordsOf(ruleId)} in code`,
    severity: ({ ruleId, level }) => (level === undefined ? (isGuess(secretClass(ruleId)?.id ?? '') ? 'medium' : 'high') : undefined),
  },
];

/** A severity in the tool's own words among the properties, of the result before the rule's. */
const wordOf = ({ properties, rule }: SarifFacts): string | undefined =>
  ['severity', 'issue_severity', 'cvssv3_baseSeverity', 'cvssv2_severity']
    .map((name) => textAt(properties, name))
    .find((word) => word !== undefined) ?? rule?.severity;

const profileOf = ({ tool }: SarifFacts): SarifProfile | undefined => PROFILES.find(({ tools }) => tools.test(tool));

/**
 * The title of a result as the tool's users know it, without a severity in it: of the tool's profile, else of the rule, else what the
 * message begins with.
 */
export function profiledTitle(facts: SarifFacts): string | undefined {
  const title = facts.rule?.title?.replace(/^\w+ severity\s*-\s*/i, '');
  const own = title === undefined || title === facts.ruleId ? undefined : title.length > MAX_TITLE ? firstSentence(title) : title;
  return profileOf(facts)?.title?.(facts) ?? own ?? sentence(facts);
}

/** The severity that a tool says in its own way: by its profile, else by a word among the properties where it gives no number. */
export function profiledSeverity(facts: SarifFacts): Severity | undefined {
  const own = profileOf(facts)?.severity?.(facts);
  if (own !== undefined) return own;
  const rated = textAt(facts.properties, 'security-severity') ?? facts.rule?.securitySeverity;
  return rated === undefined ? toSeverity(wordOf(facts)) : undefined;
}
