import type { FindingStatus } from '../../schema/model.js';
import type { EngineDatabase } from '../store/database.js';
import { SHOWN } from './filters.js';
import { keptUntilChange } from './kept.js';
import { CLOSABLE } from './lifecycle.js';
import { findings, HAS_TECHNIQUES } from './row.js';

/** How many findings of one engine name a technique of MITRE ATT&CK, without suppressed ones. */
export interface TechniqueCount {
  technique_id: string;
  total: number;
  /** OPEN and IN_PROGRESS. */
  open: number;
}

/** The techniques that the findings of one engine name, by their ids. Kept until a finding changes. */
export function countTechniques(database: EngineDatabase): Promise<TechniqueCount[]> {
  return keptUntilChange(database, 'techniques', {}, async () => {
    const groups = await database
      .collection(findings)
      .aggregate<{ _id: { technique: string; status: FindingStatus }; count: number }>([
        { $match: { ...HAS_TECHNIQUES, status: { $in: SHOWN } } },
        { $unwind: '$mitre_techniques' },
        { $group: { _id: { technique: '$mitre_techniques', status: '$status' }, count: { $sum: 1 } } },
      ]);
    const counts = new Map<string, TechniqueCount>();
    for (const { _id, count } of groups) {
      const sum = counts.get(_id.technique) ?? { technique_id: _id.technique, total: 0, open: 0 };
      counts.set(_id.technique, sum);
      sum.total += count;
      if (CLOSABLE.includes(_id.status)) sum.open += count;
    }
    return [...counts.values()].sort((one, other) => (one.technique_id < other.technique_id ? -1 : 1));
  });
}
