import { ruleConsumer } from '../notifications/consumer.js';
import { resolvedComments } from '../tickets/resolved-comment.js';
import { webhookConsumer } from '../webhooks/consumer.js';
import type { EventConsumer } from './consumer.js';

/** Who is told what happened, one line each. */
export const consumers: readonly EventConsumer[] = [ruleConsumer, resolvedComments, webhookConsumer];
