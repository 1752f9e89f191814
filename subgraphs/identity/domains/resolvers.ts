import type { IResolvers } from '@graphql-tools/utils';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { claimDomain, listDomains, removeDomain, verifyDomain } from './service.js';

export const resolvers: IResolvers<unknown, EngineContext> = {
  Query: { domains: (_, args: PageArguments, context) => listDomains(context, args) },
  Mutation: {
    claim_domain: (_, args: { input: unknown }, context) => claimDomain(context, args.input),
    verify_domain: (_, args: { domain: string }, context) => verifyDomain(context, args.domain),
    remove_domain: (_, args: { domain: string }, context) => removeDomain(context, args.domain),
  },
};
