import { AUTH_COLLECTIONS } from '../../sign-in/index.js';
import { Database } from '../../kit/store/database.js';
import type { GraphNode } from '../../kit/graph/types.js';
import { rowOf } from '../../subgraphs/attack-path/finding.js';
import { attackPaths } from '../../subgraphs/attack-path/records.js';

const INTERNET: GraphNode = {
  uid: 'internet',
  kind: 'internet',
  hold: null,
  type: 'internet',
  name: 'Internet',
  provider: null,
  account_id: null,
  region: null,
};

/** Gives a tenant of the shared server an attack path to a bucket of the mark's own. @returns its id */
export async function addPathDirectly(tenantId: string, mark: string): Promise<string> {
  const database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, process.env['PALISADE_TEST_DB']!, AUTH_COLLECTIONS);
  try {
    const target = `arn:aws:s3:::${mark}-bucket-1`;
    const bucket: GraphNode = {
      ...INTERNET,
      uid: target,
      kind: 'asset',
      type: 'aws_s3_bucket',
      name: `${mark}-bucket-1`,
      provider: 'aws',
      account_id: `${mark}-account`,
    };
    const conditions = [
      { text: `Policy of ${mark}`, engine: 'iam', finding_id: null, rule_id: null, resource_uid: null, cause: `grant:${mark}` },
    ];
    const row = rowOf(
      tenantId,
      {
        ...{
          entry: 'internet',
          target,
          pattern: 'public_data',
          nodes: [INTERNET, bucket],
          likelihood: 0.95,
          weight: 0.57,
          also_reaches: 0,
        },
        steps: [{ kind: 'public_data', probability: 0.95, conditions }],
        jewel: { tier: 'high', origin: 'proposed', reason: `Reason of ${mark}` },
      },
      new Date(),
    );
    await database.tenant(tenantId).collection(attackPaths).insert(row);
    return row.finding_id;
  } finally {
    await database.close();
  }
}
