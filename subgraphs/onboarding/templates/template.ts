import { CALLS } from '../../../collectors/calls.js';
import type { Provider } from '../../../schema/model.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { methodsOf } from '../accounts/credential.js';
import { externalIdOf } from '../external-id.js';
import type { TemplateFacts } from './facts.js';
import { FORMS } from './forms.js';

/** Providers whose template is a role that is bound to an external id. */
const WITH_ROLE: readonly Provider[] = ['aws'];

/** How an account of a provider is prepared: made of the table of calls, so that it grants what is called and nothing else. */
export async function onboardingTemplate(context: EngineContext, provider: Provider) {
  const external_id = WITH_ROLE.includes(provider) ? await externalIdOf(context) : null;
  const services = CALLS[provider];
  const facts: TemplateFacts = {
    permissions: [...new Set(services.flatMap(({ permissions }) => permissions))].sort(),
    services,
    externalId: external_id ?? '',
    principal: context.services.config.COLLECTOR_AWS_PRINCIPAL ?? null,
  };
  const { steps, ...forms } = FORMS[provider];
  const templates = Object.entries(forms).map(([format, { filename, write }]) => ({
    format,
    filename,
    content: `${write(facts).trim()}\n`,
  }));
  return { provider, external_id, methods: methodsOf(provider), services, templates, steps };
}
