import { defineOperation } from '../../../kit/engine/operation.js';

interface Estate {
  total: number;
  by_account: { value: string | null; count: number }[];
}

/** How many resources the inventory has, and in which accounts. */
export const inventory = defineOperation<Record<string, never>, Estate>(
  'di',
  '{ result: inventory_summary { total by_account { value count } } }',
);
