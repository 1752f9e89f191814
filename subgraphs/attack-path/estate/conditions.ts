import type { Condition } from '../../../kit/graph/types.js';
import type { SignalFact, VulnerabilityFinding } from './types.js';

/** Why a signal lets a step be taken. @param cause what several steps have in common: the signal of its resource when absent */
export const signalled = (
  { signal, text, engine, finding_id, rule_id, resource_uid }: SignalFact,
  cause = `${signal}:${resource_uid}`,
): Condition => ({ text, engine, finding_id, rule_id, resource_uid, cause });

/** Why a vulnerability lets a step be taken. @param place the image or the machine that has it: one chance, however many run it */
export const vulnerable = (
  { engine, finding_id, rule_id, resource_uid }: VulnerabilityFinding,
  text: string,
  place: string,
): Condition => ({ text, engine, finding_id, rule_id, resource_uid, cause: `${rule_id}@${place}` });

/** What the inventory, the map or the policies say: no finding, and no rule. */
export const stated = (engine: 'di' | 'iam' | 'network-security', text: string, cause: string): Condition => ({
  ...{ text, engine, cause },
  ...{ finding_id: null, rule_id: null, resource_uid: null },
});
