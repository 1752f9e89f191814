import { networkCode } from '../../kit/outbound/network-code.js';
import { ConnectionRefused, type Collector, type TriedService } from '../types.js';
import { callAws, type AwsAnswer } from './client.js';
import { collectAws } from './collect.js';
import { assertOfAccount, BAD_KEY, DENIED, homeOf, isAsked, keyOf, type AwsCollectorOptions } from './key.js';
import { organizationOf } from './organization.js';
import { TRIALS } from './trials.js';

/** Asks AWS what there is. */
export function createAwsCollector(options: AwsCollectorOptions): Collector {
  return {
    async *tryOut(target, signal): AsyncGenerator<TriedService> {
      const region = homeOf(target);
      const key = await keyOf(options, target, region, signal);
      await assertOfAccount(options, target, region, key, signal);
      for (const trial of TRIALS.filter((one) => isAsked(one, target, region))) {
        const answer = await callAws(options, trial, region, key, signal).catch(thereIsNone);
        // the region itself has answered who the key is of: a name without an address is of a service that is not there
        if (answer === null) continue;
        yield { service: trial.service, permission: trial.permission, granted: isGranted(trial.service, answer) };
      }
    },
    collect: (target, signal) => collectAws(options, target, signal),
    accounts: (target, signal) => organizationOf(options, target, signal),
  };
}

function thereIsNone(error: unknown): null {
  if (networkCode(error) !== 'ENOTFOUND') throw error;
  return null;
}

/** @throws ConnectionRefused for a key that AWS does not take any more; an Error where it cannot be told */
function isGranted(service: string, { status, code }: AwsAnswer): boolean {
  if (status === 200) return true;
  if (code !== null && BAD_KEY.test(code)) throw new ConnectionRefused(`AWS does not take the key: it answered ${code}.`);
  if (status === 403 || (code !== null && DENIED.test(code))) return false;
  throw new Error(`aws: ${service} answered ${status} (${String(code).slice(0, 60)})`);
}
