import type { Statement } from '../../cel/policy.js';

/** Hosts of sources of identities at which anybody has an account. */
const PUBLIC_ISSUERS =
  /(?:^|[/:])(?:token\.actions\.githubusercontent\.com|gitlab\.com|accounts\.google\.com|app\.terraform\.io|oidc\.circleci\.com|api\.bitbucket\.org|agent\.buildkite\.com|cognito-identity\.amazonaws\.com|www\.amazon\.com|graph\.facebook\.com)\b/;
/** What of a token only says for whom it was made, not by whom. */
const NOT_WHO = /:(?:aud|amr)$/;

/** Whether a claim's value stands for a part of those who have tokens, and not for all. */
const narrows = (value: string | undefined): boolean =>
  value === undefined || value.replace(/^(?:repo|project_path|organization|project):/, '').replace(/[*?:/]/g, '') !== '';

/**
 * Whether a statement lets in everybody who has an account at a public source of identities, because no condition says whose token it must be
 * (GitHub, "Security hardening with OpenID Connect"; AWS IAM User Guide, "Create a role for OpenID Connect federation").
 */
export function isOpenTo(principal: string, statements: readonly Statement[]): boolean {
  if (!principal.startsWith('Federated:') || !PUBLIC_ISSUERS.test(principal)) return false;
  return statements.some(
    ({ effect, principals, conditions }) =>
      effect === 'Allow' &&
      principals.includes(principal) &&
      !conditions.some(({ key, operator, values }) => !NOT_WHO.test(key) && !/^Null$/i.test(operator) && values.every(narrows)),
  );
}
