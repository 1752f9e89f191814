import type { Engine } from '../kit/engine/engine.js';
import { engine as check } from './check/engine.js';
import { engine as compliance } from './compliance/engine.js';
import { engine as containerSecurity } from './container-security/engine.js';
import { engine as di } from './di/engine.js';
import { engine as events } from './events/engine.js';
import { engine as findings } from './findings/engine.js';
import { engine as identity } from './identity/engine.js';
import { engine as rules } from './rules/engine.js';
import { engine as scans } from './scans/engine.js';
import { engine as secops } from './secops/engine.js';
import { engine as vulnerability } from './vulnerability/engine.js';

/** THE LIST: every engine of the product. A new one is its folder and one line here. */
export const engines: readonly Engine[] = [
  check,
  containerSecurity,
  secops,
  vulnerability,
  di,
  rules,
  compliance,
  scans,
  findings,
  identity,
  events,
];
