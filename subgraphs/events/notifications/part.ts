import type { EnginePart } from '../../../kit/engine/engine.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { RuleInput } from './input.js';
import { overdueTask } from './overdue.js';
import { notificationRetention, notificationRules, notifications, overdueMarks } from './records.js';
import { senderTask } from './sender.js';
import { listRules, removeRule, setRule } from './service.js';

const tag = 'notification-rules';

/** Who is told of which findings. */
export const notificationRulesPart: EnginePart = {
  prefixes: ['notification-rules'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { notification_rules: (_, args: PageArguments, context) => listRules(context, args) },
    Mutation: {
      set_notification_rule: (_, args: { id: string; input: RuleInput }, context) => setRule(context, args.id, args.input),
      remove_notification_rule: (_, args: { id: string }, context) => removeRule(context, args.id),
    },
  },
  routes: [
    { method: 'GET', path: '/notification-rules', field: 'notification_rules', tag },
    { method: 'PUT', path: '/notification-rules/{id}', field: 'set_notification_rule', tag },
    { method: 'DELETE', path: '/notification-rules/{id}', field: 'remove_notification_rule', status: 204, tag },
  ],
  collections: [notificationRules, notifications, overdueMarks],
  retention: [notificationRetention],
  background: [senderTask, overdueTask],
};
