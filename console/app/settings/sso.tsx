import { wordOf } from '../format.js';
import type { Field, Values } from '../parts/fields.js';
import { Section } from '../parts/section.js';
import { SettingView, type Setting } from '../parts/setting.js';
import { Facts, Moment } from '../parts/text.js';
import { mappingLines, mappingsIn, oauthInput, samlInput, type SsoSettings } from './sso-values.js';

const SCOPES = ['tenant', 'untenanted'];
/** Whose address it is, as the end of a sentence. */
const scopeWord = (scope: string): string => (scope === 'tenant' ? 'of this tenant' : 'of the deployment');
const has =
  (provider: 'has_saml' | 'has_oauth') =>
  (values: Values): boolean =>
    values[provider] === true;

const FIELDS: readonly Field[] = [
  { name: 'has_saml', label: 'A SAML identity provider', kind: 'flag' },
  { name: 'saml.enabled', label: 'People sign in through it', kind: 'flag', hint: 'A test works before that.', when: has('has_saml') },
  { name: 'saml.idp_entity_id', label: 'Entity id of the provider', kind: 'text', isNeeded: true, when: has('has_saml') },
  { name: 'saml.idp_sso_url', label: 'Where browsers sign in', kind: 'text', isNeeded: true, when: has('has_saml') },
  { name: 'saml.idp_certificates', label: 'Certificates, as PEM', kind: 'long', isNeeded: true, when: has('has_saml') },
  {
    name: 'saml.service_provider',
    label: 'Registered for',
    kind: 'choice',
    options: SCOPES,
    words: (scope) => `the addresses ${scopeWord(scope)}`,
    isNeeded: true,
    initial: 'tenant',
    when: has('has_saml'),
  },
  { name: 'has_oauth', label: 'An OpenID provider', kind: 'flag' },
  { name: 'oauth.enabled', label: 'People sign in through it', kind: 'flag', hint: 'A test works before that.', when: has('has_oauth') },
  { name: 'oauth.issuer', label: 'Issuer', kind: 'text', isNeeded: true, when: has('has_oauth') },
  { name: 'oauth.client_id', label: 'Client id', kind: 'text', isNeeded: true, when: has('has_oauth') },
  {
    name: 'oauth.client_secret',
    label: 'Client secret',
    kind: 'secret',
    hint: 'Empty leaves the one that is set.',
    when: has('has_oauth'),
  },
  {
    name: 'oauth.allowed_domains',
    label: 'Domains that may sign in',
    kind: 'lines',
    hint: 'One a line, of verified ones; empty for all.',
    when: has('has_oauth'),
  },
  {
    name: 'oauth.callback',
    label: 'Registered for',
    kind: 'choice',
    options: SCOPES,
    words: (scope) => `the addresses ${scopeWord(scope)}`,
    isNeeded: true,
    initial: 'tenant',
    when: has('has_oauth'),
  },
  {
    name: 'group_mappings',
    label: 'Groups and their roles',
    kind: 'lines',
    hint: 'One a line, the first that fits wins: Cloud admins = tenant_admin',
  },
  {
    name: 'default_role',
    label: 'Role of people in none of these groups',
    kind: 'choice',
    options: ['tenant_admin', 'analyst', 'viewer'],
    words: wordOf,
    whenEmpty: null,
    hint: 'Without one they do not come in.',
  },
  {
    name: 'require_sso',
    label: 'People sign in through the provider only',
    kind: 'flag',
    hint: 'An administrator has to have come through it.',
  },
];

/** Where a test begins: on the host that the session is of, whichever name of it the providers know. */
function testOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.set('test', '1');
  return `${pathname}?${searchParams.toString()}`;
}

/** The values that a provider has to know, and the way to try it. */
function ForTheProvider({ settings }: { readonly settings: SsoSettings }) {
  const { service_provider: here, saml, oauth, last_test, verified_at } = settings;
  const tests = [saml && (['SAML', here.saml_login_url] as const), oauth && (['OpenID', here.oauth_login_url] as const)].filter(
    (test) => test !== null,
  );
  return (
    <Section title="What the provider has to know">
      <Facts
        of={[
          ...here.saml.flatMap(({ scope, entity_id, acs_url, metadata_url }) => [
            [`SAML: entity id ${scopeWord(scope)}`, <code>{entity_id}</code>] as const,
            [`SAML: reply URL ${scopeWord(scope)}`, <code>{acs_url}</code>] as const,
            [`SAML: metadata ${scopeWord(scope)}`, <code>{metadata_url}</code>] as const,
          ]),
          ...here.oauth.map(
            ({ scope, redirect_uri }) => [`OpenID: redirect URI ${scopeWord(scope)}`, <code>{redirect_uri}</code>] as const,
          ),
        ]}
      />
      {tests.length > 0 && (
        <p class="buttons">
          {tests.map(([name, url]) => (
            <a key={name} href={testOf(url)} target="_blank" rel="noopener">
              Test the sign-in through {name}
            </a>
          ))}
        </p>
      )}
      <Facts
        of={[
          ['Verified', <Moment time={verified_at} empty="not yet: an administrator has to come through it" />],
          [
            'Last test',
            last_test && (
              <>
                <span class={last_test.ok ? '' : 'problem'}>{last_test.message}</span> <Moment time={last_test.at} />
                {last_test.email && ` as ${last_test.email}`}
                {last_test.role && `, ${last_test.role.replaceAll('_', ' ')}`}
                {last_test.groups.length > 0 && `; groups: ${last_test.groups.join(', ')}`}
              </>
            ),
          ],
        ]}
      />
    </Section>
  );
}

const SSO: Setting<SsoSettings> = {
  what: 'single sign-on',
  path: '/api/v1/settings/sso',
  writes: 'tenants:write',
  fields: FIELDS,
  asForm: (now) => ({
    ...now,
    has_saml: now.saml !== null,
    has_oauth: now.oauth !== null,
    saml: now.saml && { ...now.saml, idp_certificates: now.saml.idp_certificates.map(({ pem }) => pem.trim()).join('\n') },
    group_mappings: mappingLines(now.group_mappings),
  }),
  bodyOf: ({ has_saml, has_oauth, saml, oauth, group_mappings, ...rest }, now) => ({
    ...rest,
    group_mappings: mappingsIn(group_mappings as readonly string[]),
    ...((has_saml || now.saml) && { saml: has_saml ? samlInput(saml, now) : null }),
    ...((has_oauth || now.oauth) && { oauth: has_oauth ? oauthInput(oauth, now) : null }),
  }),
  facts: (settings) => <ForTheProvider settings={settings} />,
};

export const Sso = () => <SettingView of={SSO} />;
