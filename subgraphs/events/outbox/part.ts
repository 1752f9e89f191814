import type { EnginePart } from '../../../kit/engine/engine.js';
import { MAIL_JOB } from '../../../kit/work/mail.js';
import { outbox } from '../../../kit/work/outbox.js';
import type { EventConsumer } from './consumer.js';
import { createDispatcher } from './dispatcher.js';
import { mailJob } from './mail-job.js';
import { waitingTenants } from './waiting-tenants.js';

/** How events and mails leave. @param consumers who is told what happened */
export const outboxPart = (consumers: readonly EventConsumer[]): EnginePart => ({
  prefixes: [],
  typeDefs: '',
  resolvers: {},
  collections: [outbox, waitingTenants],
  jobs: { [MAIL_JOB]: mailJob },
  background: [createDispatcher(consumers)],
});
