import { REDACTED } from '../../redaction/secret-keys.js';
import type { Subject } from '../cel/asset-value.js';
import { companionTypes } from '../inventory.js';
import { attributesRead } from './attributes-read.js';
import { keepingOnly, occurrencesAt, type Occurrence } from './occurrences.js';
import { failsWith, type Failure } from './retrial.js';
import { statementsFound } from './statements-found.js';
import { isAboutTraffic, trafficFound } from './traffic-found.js';
import { cut, listed, MOST_NAMED, shown } from './words.js';

/** Elements that are tried one by one, to find those at fault. */
const MOST_TRIED = 40;
const IDENTITY = /(?:^|\.)(?:name|namespace|id|arn|bucket)$/;
/** The longest account of what was found. */
const MAX_FOUND = 360;

/**
 * Where a rule fails a resource, and what stands there, in words: attributes with their places in lists, traffic rules with ports, statements with actions.
 * @param isSensitive whether the source marks what stands at an attribute path as sensitive
 */
export function foundOf(failure: Failure, subject: Subject, isSensitive: (path: string) => boolean): string {
  const traffic = isAboutTraffic(failure.rule) ? trafficFound(failure, subject) : undefined;
  return cut(traffic ?? policyFound(failure, subject, isSensitive) ?? attributesFound(failure, subject, isSensitive), MAX_FOUND);
}

function policyFound(failure: Failure, subject: Subject, isSensitive: (path: string) => boolean): string | undefined {
  const { documents } = attributesRead(failure.rule.expression);
  if (documents.length === 0 || documents.some((path) => path !== '' && isSensitive(path))) return undefined;
  return statementsFound(failure, subject, documents);
}

function attributesFound(failure: Failure, subject: Subject, isSensitive: (path: string) => boolean): string {
  const { rule } = failure;
  const { expression, path } = rule;
  const around = [...companionTypes([rule])];
  const named = path === undefined ? attributesRead(expression).paths : [path];
  // a name is read to find what belongs to it
  const read = around.length === 0 ? named : named.filter((attribute) => !IDENTITY.test(attribute));
  // what is asked is whether a secret is written out, so that what is written out is one
  const asksForSecrets = /\b(?:holds_credential|is_literal)\(/.test(expression);
  const said = read.map((attribute) => {
    const all = occurrencesAt(subject.configuration, attribute, MOST_TRIED);
    const guilty = all.length > 1 ? all.filter(({ trail }) => failsWith(failure, subject, keepingOnly(subject.configuration, trail))) : all;
    const isHidden = isSensitive(attribute);
    const texts = (guilty.length > 0 ? guilty : all).map((one) => inWords(one, isHidden, asksForSecrets));
    return { isSet: all.some(({ value }) => value !== undefined), texts: [...new Set(texts)] };
  });
  // where something stands there, that is what is wrong; else that nothing does
  const texts = said.some(({ isSet }) => isSet) ? [...said].sort((a, b) => Number(b.isSet) - Number(a.isSet)) : said;
  const own = texts.slice(0, MOST_NAMED).flatMap(({ texts: words }) => listed(words));
  const types = around.slice(0, MOST_NAMED).map((type) => `\`${type}\``);
  if (types.length > 0) own.push(`no ${types.join(' or ')} that belongs to it does so`);
  return own.length === 0 ? 'its configuration does not say so' : own.join(', ');
}

function inWords({ where, value }: Occurrence, isHidden: boolean, asksForSecrets: boolean): string {
  if (value === undefined) return `\`${where}\` is not set`;
  if (asksForSecrets) return `\`${where}\` is written out`;
  return `\`${where}\` is ${isHidden ? REDACTED : shown(value)}`;
}
