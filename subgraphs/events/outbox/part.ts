import type { EnginePart } from '../../../kit/engine/engine.js';
import { MAIL_JOB } from '../../../kit/work/mail.js';
import { outbox } from '../../../kit/work/outbox.js';
import type { EventConsumer } from './consumer.js';
import { createDispatcher } from './dispatcher.js';
import { outboxLeases } from './lease.js';
import { mailJob } from './mail-job.js';

/** How events and mails leave. @param consumers who is told what happened */
export const outboxPart = (consumers: readonly EventConsumer[]): EnginePart => ({
  prefixes: [],
  typeDefs: '',
  resolvers: {},
  collections: [outbox, outboxLeases],
  jobs: { [MAIL_JOB]: mailJob },
  background: [createDispatcher(consumers)],
});
