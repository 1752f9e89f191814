import type { AttributeMapping } from '../../accounts/providers/records.js';
import { readAddress } from '../sso/address.js';
import type { SsoAssertion } from '../sso/assertion.js';
import type { ExpectedAnswer } from './expected-answer.js';
import { assertThat } from './refusal.js';
import { NAME_ID_FORMAT } from './service-provider.js';
import { ASSERTION, childrenOf, onlyChild } from './structure.js';
import type { XmlElement } from './xml-tree.js';

/** Milliseconds: by how much the provider's clock may be off, and how old an answer may be. */
export const CLOCK_SKEW = 60_000;
export const MAX_AGE = 5 * 60_000;

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** Classes of AuthnContext that say that more than one factor was shown. */
const MULTI_FACTOR: ReadonlySet<string> = new Set([
  'https://refeds.org/profile/mfa',
  'http://schemas.microsoft.com/claims/multipleauthn',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:MobileTwoFactorContract',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:MobileTwoFactorUnregistered',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:TimeSyncToken',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:SmartcardPKI',
]);
/** Where Microsoft Entra ID lists how somebody has signed in; the same values as of the context. */
const METHODS_CLAIM = 'http://schemas.microsoft.com/claims/authnmethodsreferences';

function emailOf(text: string, where: string): string {
  const address = readAddress(text);
  assertThat(address !== null, `The ${where} is no e-mail address`);
  return address;
}

const timeOf = (element: XmlElement, attribute: string): number => {
  const text = element.attributes.get(attribute) ?? '';
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN;
  assertThat(!Number.isNaN(time), `${attribute} of ${element.name} is no time`);
  return time;
};

/** @throws SamlRefusal when `element` is no issuer of that name */
export function assertIssuer(element: XmlElement, entityId: string): void {
  assertThat(element.text === entityId && element.children.length === 0, `The issuer is ${element.text.slice(0, 200)}, not ${entityId}`);
}

/** @throws SamlRefusal when the element does not say that it was made within the last minutes */
export function assertFresh(element: XmlElement, now: Date): void {
  const age = now.getTime() - timeOf(element, 'IssueInstant');
  assertThat(age >= -CLOCK_SKEW && age <= MAX_AGE + CLOCK_SKEW, `The ${element.name.toLowerCase()} was not issued just now`);
}

/** What a verified assertion says, and until when it could be shown again. */
export interface AssertionFacts {
  readonly assertion: SsoAssertion;
  /** The assertion's own id. */
  readonly id: string;
  readonly usable_until: Date;
}

/**
 * Reads an assertion whose signature has been verified, and checks what ties it to this provider, request and moment, beside its conditions
 * (saml-profiles-2.0-os, 4.1.4.3).
 * @param element the signed bytes, read again
 * @throws SamlRefusal
 */
export function readFacts(
  element: XmlElement,
  expected: ExpectedAnswer,
  provider: string,
  mapping: AttributeMapping,
  now: Date,
): AssertionFacts {
  const id = element.attributes.get('ID') ?? '';
  assertThat(id !== '' && element.attributes.get('Version') === '2.0', 'The assertion is not one of SAML 2.0');
  assertIssuer(onlyChild(element, ASSERTION, 'Issuer'), provider);
  assertFresh(element, now);

  const subject = onlyChild(element, ASSERTION, 'Subject');
  const nameId = onlyChild(subject, ASSERTION, 'NameID');
  assertThat(nameId.attributes.get('Format') === NAME_ID_FORMAT, 'The NameID is not of the format emailAddress');
  assertThat(nameId.children.length === 0, 'The NameID is no text');
  const named = emailOf(nameId.text, 'NameID');
  const usable_until = confirmedUntil(subject, expected, now);

  const statements = childrenOf(element, ASSERTION, 'AuthnStatement');
  assertThat(statements.length > 0, 'The assertion does not say that anybody has signed in');
  for (const statement of statements)
    if (statement.attributes.has('SessionNotOnOrAfter'))
      assertThat(timeOf(statement, 'SessionNotOnOrAfter') > now.getTime() - CLOCK_SKEW, 'The session at the provider has ended');
  const authenticated_at = authenticatedAt(statements, now);
  if (expected.fresh) {
    const asked = expected.created_at.getTime() - CLOCK_SKEW;
    assertThat(
      authenticated_at !== null && authenticated_at.getTime() >= asked,
      'The provider did not have the person prove anew who they are',
    );
  }
  const contexts = statements.flatMap((statement) =>
    onlyChild(statement, ASSERTION, 'AuthnContext').children.map(({ text }) => text.trim()),
  );

  const attributes = attributesOf(element);
  const values = (names: readonly string[]) => names.map((name) => attributes.get(name)).find((found) => found?.length) ?? [];
  const given = values(mapping.email)[0];
  const email = given === undefined ? named : emailOf(given, 'e-mail attribute');
  return {
    id,
    usable_until,
    assertion: {
      tenant_id: expected.tenant_id,
      provider,
      subject: named,
      email,
      name: [...values(mapping.first_name).slice(0, 1), ...values(mapping.last_name).slice(0, 1)].join(' ').slice(0, 200),
      groups: values(mapping.groups),
      second_factor: [...contexts, ...(attributes.get(METHODS_CLAIM) ?? [])].some((name) => MULTI_FACTOR.has(name)),
      authenticated_at,
    },
  };
}

/** When the person last proved to the provider who they are (`AuthnInstant`); a provider's clock that is ahead counts as now. */
function authenticatedAt(statements: readonly XmlElement[], now: Date): Date | null {
  const instants = statements
    .filter(({ attributes }) => attributes.has('AuthnInstant'))
    .map((statement) => timeOf(statement, 'AuthnInstant'));
  return instants.length === 0 ? null : new Date(Math.min(Math.max(...instants), now.getTime()));
}

/** Until when the subject's bearer confirmation holds for this request and address. */
function confirmedUntil(subject: XmlElement, expected: ExpectedAnswer, now: Date): Date {
  const bearers = childrenOf(subject, ASSERTION, 'SubjectConfirmation').filter(({ attributes }) => attributes.get('Method') === BEARER);
  assertThat(bearers.length === 1, `The subject has ${bearers.length} bearer confirmations`);
  const data = onlyChild(bearers[0]!, ASSERTION, 'SubjectConfirmationData');
  assertThat(data.attributes.get('Recipient') === expected.acs_url, `The recipient is not ${expected.acs_url}`);
  assertThat(data.attributes.get('InResponseTo') === expected._id, 'The assertion answers another request');
  const until = timeOf(data, 'NotOnOrAfter');
  assertThat(until > now.getTime() - CLOCK_SKEW, 'The assertion has expired');
  if (data.attributes.has('NotBefore'))
    assertThat(timeOf(data, 'NotBefore') <= now.getTime() + CLOCK_SKEW, 'The assertion is not valid yet');
  return new Date(until + CLOCK_SKEW);
}

const MAX_VALUES = 1_500;

/** Texts of the attributes by name. A name that stands twice is refused: libraries differ in which of the two counts. */
function attributesOf(element: XmlElement): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const statement of childrenOf(element, ASSERTION, 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, ASSERTION, 'Attribute')) {
      const name = attribute.attributes.get('Name') ?? '';
      assertThat(!found.has(name), `The attribute ${name.slice(0, 200)} stands twice`);
      const values = childrenOf(attribute, ASSERTION, 'AttributeValue').filter(({ children }) => children.length === 0);
      found.set(
        name,
        values
          .slice(0, MAX_VALUES)
          .map(({ text }) => text.trim())
          .filter((text) => text !== ''),
      );
    }
  }
  return found;
}
