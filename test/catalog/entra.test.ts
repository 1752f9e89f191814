import { describe, expect, it } from '@jest/globals';
import { companionTypes } from '../../catalog/inventory.js';
import { checkInventory } from '../../catalog/check-file.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { bufferSource, detectFormat, readHead } from '../../importers/index.js';
import { expandWholeCatalog } from './whole-catalog.js';

const GRAPH = 'https://graph.microsoft.com/v1.0/$metadata#';
const rules = expandWholeCatalog().rules.filter(({ rule_id }) => rule_id.startsWith('azure.entra.'));
const set = new RuleSet(rules);

const defaults = (isEnabled: boolean) => ({
  '@odata.context': `${GRAPH}policies/identitySecurityDefaultsEnforcementPolicy/$entity`,
  id: '00000000-0000-0000-0000-000000000005',
  displayName: 'Security Defaults',
  isEnabled,
});
const policy = (state: string, more: Record<string, unknown> = {}) => ({
  id: '10ef4fe6-5e51-4f5e-b5a2-8fed19d0be67',
  displayName: 'Everybody, everywhere',
  state,
  conditions: { clientAppTypes: ['all'], applications: { includeApplications: ['All'] }, users: { includeUsers: ['All'] }, ...more },
  grantControls: { operator: 'OR', builtInControls: ['mfa'] },
});
const policies = (...value: unknown[]) => ({ '@odata.context': `${GRAPH}identity/conditionalAccess/policies`, value });

/** What rules say of answers of Microsoft Graph, a line an answer. */
async function judged(...answers: unknown[]): Promise<Record<string, string>> {
  const text = answers.map((response, n) => JSON.stringify({ source: `graph/${n}`, response })).join('\n');
  const bytes = Buffer.from(text);
  const format = detectFormat(await readHead(bufferSource(bytes)))!;
  const results: Record<string, string> = {};
  const source = { format: format.name, read: () => format.read(bufferSource(bytes), {}) };
  await checkInventory(source, set, companionTypes(rules), ({ evaluations }) => {
    for (const { rule, result } of evaluations) results[rule.rule_id.replace('azure.entra.', '')] = result;
  });
  return results;
}

describe('a directory that Microsoft Graph tells', () => {
  const FACTOR = 'security_defaults_policy.conditional_access_everybody';

  it('needs no conditional access where security defaults are on', async () => {
    const results = await judged(defaults(true), policies(policy('disabled')));
    expect(results['security_defaults_policy.sign_in_unprotected']).toBe('PASS');
    expect(results[FACTOR]).toBe('NOT_APPLICABLE');
  });

  it('is unprotected where they are off and its policies only report', async () => {
    const results = await judged(defaults(false), policies(policy('enabledForReportingButNotEnforced')));
    expect(results['security_defaults_policy.sign_in_unprotected']).toBe('FAIL');
    expect(results[FACTOR]).toBe('FAIL');
    expect(results['conditional_access_policy.policy_state']).toBe('FAIL');
  });

  it('is protected by a policy for everybody, which leaves the device code flow and old clients to others', async () => {
    const results = await judged(defaults(false), policies(policy('enabled')));
    for (const name of [
      'sign_in_unprotected',
      'conditional_access_administrators',
      'conditional_access_everybody',
      'conditional_access_management',
    ])
      expect(results[`security_defaults_policy.${name}`]).toBe('PASS');
    for (const name of ['conditional_access_legacy', 'conditional_access_device_code'])
      expect(results[`security_defaults_policy.${name}`]).toBe('FAIL');
    const blocking = {
      ...policy('enabled', { authenticationFlows: { transferMethods: 'deviceCodeFlow,authenticationTransfer' } }),
      id: 'b',
    };
    blocking.grantControls = { operator: 'OR', builtInControls: ['block'] };
    const stricter = await judged(defaults(false), policies(policy('enabled'), blocking));
    expect(stricter['security_defaults_policy.conditional_access_device_code']).toBe('PASS');
  });

  it('is not judged by policies that nobody has told', async () => {
    const results = await judged(defaults(false));
    expect(results[FACTOR]).toBe('NOT_EVALUATED');
  });

  it('has settings for users, guests and methods, and secrets and trusts of applications', async () => {
    const results = await judged(
      {
        '@odata.context': `${GRAPH}policies/authorizationPolicy/$entity`,
        id: 'authorizationPolicy',
        displayName: 'Authorization Policy',
        allowInvitesFrom: 'everyone',
        guestUserRoleId: 'a0b1b346-4d3e-4e8b-98f8-753987be4970',
        blockMsolPowerShell: true,
        defaultUserRolePermissions: {
          allowedToCreateApps: false,
          allowedToCreateTenants: true,
          permissionGrantPoliciesAssigned: ['ManagePermissionGrantsForSelf.microsoft-user-default-legacy'],
        },
      },
      {
        '@odata.context': `${GRAPH}authenticationMethodsPolicy/$entity`,
        id: 'authenticationMethodsPolicy',
        displayName: 'Authentication Methods Policy',
        authenticationMethodConfigurations: [
          { id: 'Fido2', state: 'enabled' },
          { id: 'Sms', state: 'enabled' },
        ],
      },
      {
        '@odata.context': `${GRAPH}applications`,
        value: [
          {
            id: '5f0b2d3e-0000-4000-8000-000000000001',
            appId: '5f0b2d3e-0000-4000-8000-000000000002',
            displayName: 'deploy',
            signInAudience: 'AzureADMyOrg',
            passwordCredentials: [{ keyId: 'k', startDateTime: '2026-01-01T00:00:00Z', endDateTime: '2299-01-01T00:00:00Z' }],
            federatedIdentityCredentials: [
              {
                id: 'f',
                name: 'ci',
                issuer: 'https://token.actions.githubusercontent.com',
                subject: 'repo:acme/*',
                audiences: ['api://AzureADTokenExchange'],
              },
            ],
          },
        ],
      },
    );
    expect(results).toMatchObject({
      'authorization_policy.guests_as_members': 'FAIL',
      'authorization_policy.guests_invited_by_anybody': 'FAIL',
      'authorization_policy.legacy_powershell': 'PASS',
      'authorization_policy.user_consent': 'FAIL',
      'authorization_policy.users_create_tenants': 'FAIL',
      'authorization_policy.users_register_applications': 'PASS',
      'authentication_methods_policy.method_phishing_resistant': 'PASS',
      'authentication_methods_policy.method_sms': 'FAIL',
      'application.secret_life': 'FAIL',
      'application_federated_identity_credential.github_subject': 'FAIL',
    });
  });
});
