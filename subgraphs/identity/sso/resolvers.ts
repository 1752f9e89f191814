import type { IResolvers } from '@graphql-tools/utils';
import type { EngineContext } from '../../../kit/engine/context.js';
import { getSsoSettings, setSsoSettings } from './settings.js';

export const resolvers: IResolvers<unknown, EngineContext> = {
  Query: { sso_settings: (_, _args, context) => getSsoSettings(context) },
  Mutation: { set_sso_settings: (_, args: { input: unknown }, context) => setSsoSettings(context, args.input) },
};
