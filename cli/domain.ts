import { vouchForDomain } from '../subgraphs/identity/domains/vouch.js';
import { command, text, UsageError } from './command-line.js';
import { asOperator } from './operator.js';

const USAGE = `palisade domain vouch --domain D --organization O [--data DIR]
Answers, as the operator, for a domain of an organization, named by id or name, for 90 days from now: its identity providers make accounts
for addresses of the domain as if its TXT record had been seen. Say it again before the end, or let the organization set the record.`;

/** The command `palisade domain`. */
export const run = command(USAGE, { domain: text, organization: text, data: text }, async ({ domain, organization, data }, positionals) => {
  if (positionals.join(' ') !== 'vouch') throw new UsageError('say vouch');
  if (!domain || !organization) throw new UsageError('name a --domain and an --organization');
  return asOperator('palisade domain', data, async (services) => {
    const { _id, organization_id, ends_at } = await vouchForDomain(services, { domain, organization });
    return `${_id} counts as verified for ${organization_id} until ${ends_at!.toISOString()}`;
  });
});
