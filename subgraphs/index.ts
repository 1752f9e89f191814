import type { Engine } from '../kit/engine/engine.js';
import { engine as agent } from './agent/engine.js';
import { engine as aiSecurity } from './ai-security/engine.js';
import { engine as apiSecurity } from './api-security/engine.js';
import { engine as attackPath } from './attack-path/engine.js';
import { engine as billing } from './billing/engine.js';
import { engine as cdr } from './cdr/engine.js';
import { engine as check } from './check/engine.js';
import { engine as ciem } from './ciem/engine.js';
import { engine as cnapp } from './cnapp/engine.js';
import { engine as compliance } from './compliance/engine.js';
import { engine as containerSecurity } from './container-security/engine.js';
import { engine as cwpp } from './cwpp/engine.js';
import { engine as datasec } from './datasec/engine.js';
import { engine as dbsec } from './dbsec/engine.js';
import { engine as di } from './di/engine.js';
import { engine as encryption } from './encryption/engine.js';
import { engine as events } from './events/engine.js';
import { engine as findings } from './findings/engine.js';
import { engine as iam } from './iam/engine.js';
import { engine as identity } from './identity/engine.js';
import { engine as networkSecurity } from './network-security/engine.js';
import { engine as risk } from './risk/engine.js';
import { engine as reporting } from './reporting/engine.js';
import { engine as onboarding } from './onboarding/engine.js';
import { engine as rules } from './rules/engine.js';
import { engine as scans } from './scans/engine.js';
import { engine as secops } from './secops/engine.js';
import { engine as technology } from './technology/engine.js';
import { engine as threat } from './threat/engine.js';
import { engine as vulnerability } from './vulnerability/engine.js';

/** THE LIST: every engine of the product. A new one is its folder and one line here. They derive in this order: the inventory first, which others ask. */
export const engines: readonly Engine[] = [
  di,
  check,
  iam,
  ciem,
  datasec,
  dbsec,
  encryption,
  networkSecurity,
  containerSecurity,
  cwpp,
  cnapp,
  agent,
  cdr,
  threat,
  aiSecurity,
  apiSecurity,
  secops,
  vulnerability,
  attackPath,
  risk,
  technology,
  rules,
  compliance,
  scans,
  onboarding,
  findings,
  identity,
  events,
  reporting,
  billing,
];
