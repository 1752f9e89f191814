import type { Provider } from '../../../schema/model.js';
import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { externalIds } from '../external-id.js';
import { onboardingTemplate } from './template.js';

/** How accounts are prepared to be connected. */
export const templatesPart: EnginePart = {
  prefixes: ['onboarding'],
  typeDefs: readSchema(import.meta.url),
  resolvers: { Query: { onboarding_template: (_, args: { provider: Provider }, context) => onboardingTemplate(context, args.provider) } },
  routes: [{ method: 'GET', path: '/onboarding/templates/{provider}', field: 'onboarding_template', tag: 'onboarding' }],
  collections: [externalIds],
};
