import type { SendingRules } from '../integrations/service.js';
import { notificationRules } from './records.js';

const MOST = 20;

/** The notification rules that send to an integration, which cannot be removed while there are any. */
export const sendingRules: SendingRules = async (context, integrationId, transaction) => {
  const rules = await context.collection(notificationRules).find({ integration_id: integrationId }, { limit: MOST, transaction });
  return rules.map((rule) => rule.id);
};
