import type { EnginePart } from '../../../kit/engine/engine.js';
import { PUT_REPORT_FILE_JOB } from '../../../kit/read/report-files.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { IntegrationInput } from './input.js';
import { bucketsOf, putReportFileJob } from './put-report-file.js';
import { integrations } from './records.js';
import { createIntegration, listIntegrations, removeIntegration, updateIntegration, type SendingRules } from './service.js';

const tag = 'integrations';

/** Connections to trackers, chats, mailboxes, webhooks and buckets. */
export const integrationsPart = (sendingRules: SendingRules): EnginePart => ({
  prefixes: ['integrations'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      integrations: (_, args: PageArguments, context) => listIntegrations(context, args),
      buckets_model: (_, args: { integration_ids: string[] }, context) => bucketsOf(context, args.integration_ids),
    },
    Mutation: {
      create_integration: (_, args: { input: IntegrationInput }, context) => createIntegration(context, args.input),
      update_integration: (_, args: { id: string; input: IntegrationInput }, context) => updateIntegration(context, args.id, args.input),
      remove_integration: (_, args: { id: string }, context) => removeIntegration(context, args.id, sendingRules),
    },
  },
  routes: [
    { method: 'GET', path: '/integrations', field: 'integrations', tag },
    { method: 'POST', path: '/integrations', field: 'create_integration', status: 201, tag },
    { method: 'PATCH', path: '/integrations/{id}', field: 'update_integration', tag },
    { method: 'DELETE', path: '/integrations/{id}', field: 'remove_integration', status: 204, tag },
  ],
  collections: [integrations],
  jobs: { [PUT_REPORT_FILE_JOB]: putReportFileJob },
});
