import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'attack_paths', engine: 'attack-path' };

/** What other engines read of an attack path. */
export interface ReadAttackPath {
  finding_id: string;
  entry: string;
  /** What it leads to. */
  resource_uid: string;
  pattern: string;
  likelihood: number;
  jewel: { tier: 'critical' | 'high' | 'medium' | 'low'; origin: 'set' | 'proposed' | 'administrator'; reason: string };
  nodes: {
    uid: string;
    kind: 'asset' | 'internet' | 'scope' | 'segment' | 'administrator' | 'outsider';
    hold: 'code' | 'forged_requests' | 'write' | null;
    type: string;
    name: string | null;
    provider: string | null;
    account_id: string | null;
  }[];
  /** Between the nodes; what has a cause in common is one chance. */
  steps: {
    kind: string;
    probability: number;
    conditions: {
      text: string;
      engine: string;
      finding_id: string | null;
      rule_id: string | null;
      resource_uid: string | null;
      cause: string;
    }[];
  }[];
  /** The engines that it rests on: whoever may not read one of them sees no more than the kinds of its steps. */
  engines: string[];
}

interface Batch {
  items: ReadAttackPath[];
  next: string | null;
}

const batch = defineReadOperation<{ after: string | null; limit: number }, Batch>(
  model,
  `query($after: String, $limit: Int!) { result: attack_paths_model(after: $after, limit: $limit) {
    items { finding_id entry resource_uid pattern likelihood jewel nodes steps engines } next
  } }`,
);

/** Paths read at a time. */
const AT_ONCE = 200;

/** The tenant's attack paths by id, one after the other; at most a thousand there are. @throws as `readModel` */
export async function* readAttackPaths(context: EngineContext): AsyncGenerator<ReadAttackPath> {
  let after: string | null = null;
  do {
    const found: Batch = await readModel(context, batch, { after, limit: AT_ONCE });
    yield* found.items;
    after = found.next;
  } while (after !== null);
}
