import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { domainChecks } from './checks.js';
import { domainClaims, domainHolders } from '../../../accounts/domains/records.js';
import { resolvers } from './resolvers.js';

/** The organization's domains: who may sign in through identity providers is decided by them. */
export const domainsPart: EnginePart = {
  prefixes: ['settings'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/settings/domains', field: 'domains', tag: 'sso-settings' },
    { method: 'POST', path: '/settings/domains', field: 'claim_domain', status: 201, tag: 'sso-settings' },
    { method: 'POST', path: '/settings/domains/{domain}/verify', field: 'verify_domain', tag: 'sso-settings' },
    { method: 'DELETE', path: '/settings/domains/{domain}', field: 'remove_domain', status: 204, tag: 'sso-settings' },
  ],
  collections: [domainClaims, domainHolders],
  background: [domainChecks],
};
