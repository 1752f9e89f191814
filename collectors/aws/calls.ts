import type { ServiceCalls } from '../service-calls.js';
import { allLines, permissionOf } from './lines.js';
import { REGIONS } from './services/ec2.js';
import { GROUPS } from './services/index.js';

const ALL = [...GROUPS, REGIONS];

/** Permissions by service: those of the calls that are made, and no other (AWS service authorization reference). */
export const AWS_CALLS: readonly ServiceCalls[] = [...new Set(ALL.map(({ service }) => service))].map((service) => {
  const groups = ALL.filter((group) => group.service === service);
  return { service, permissions: [...new Set(groups.flatMap((group) => allLines(group.calls).map((line) => permissionOf(group, line))))] };
});
