import type { ServiceCalls } from '../service-calls.js';
import { CONTENTS, GCP_SERVICES } from './asked.js';

/** IAM permissions of Google Cloud: the inventory shows all assets of a project to who may list assets there, whatever their service. */
export const GCP_CALLS: readonly ServiceCalls[] = GCP_SERVICES.map(({ service, orgPolicies }) => ({
  service,
  permissions: CONTENTS.filter(({ content }) => content !== 'ORG_POLICY' || orgPolicies).map(({ permission }) => permission),
}));
