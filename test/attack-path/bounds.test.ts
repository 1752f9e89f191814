import { ThreadPool } from '../../kit/work/thread-pool.js';
import type { PathDraft, PathIdentity } from '../../subgraphs/attack-path/draft.js';
import type { EstateAsset, EstatePart } from '../../subgraphs/attack-path/estate/types.js';
import type { PathsReply, PathsRequest } from '../../subgraphs/attack-path/paths-thread.js';
import { edgeOf } from './estate.js';

/** The thread of the product. */
const pool = new ThreadPool(new URL(`file://${process.cwd()}/dist/subgraphs/attack-path/paths-thread.js`));
afterAll(() => pool.close());

const JEWELS = 100_000;
const AT_ONCE = 5_000;

const asset = (resource_uid: string, role: EstateAsset['role'], resource_type: string): EstateAsset => ({
  ...{ resource_uid, resource_type, resource_name: resource_uid, provider: 'aws', account_id: '1', region: 'global', role },
  ...{ data_classes: [], criticality: null, environment: null, containers: [], names: [] },
});
const leaked = (resource_uid: string) => ({
  ...{ signal: 'leaked_credential' as const, engine: 'iam', finding_id: 'key', rule_id: 'key', resource_uid },
  ...{ text: 'leaked', rank: 0, isOtherwise: false },
});

it('of a hundred thousand crown jewels behind one role the worst thousand paths are told, and of the others that they were not looked for', async () => {
  const thread = await pool.open<null, PathsRequest, PathsReply>('t', null, new AbortController().signal);
  const add = (part: EstatePart) => thread.ask({ add: part });
  await add({ assets: [asset('user', 'identity', 'aws_iam_user'), asset('far', 'identity', 'aws_iam_role')], signals: [leaked('user')] });
  await add({ edges: [edgeOf('user may_assume far')] });
  for (let from = 0; from < JEWELS; from += AT_ONCE) {
    const uids = Array.from({ length: AT_ONCE }, (_, n) => `bucket-${from + n}`);
    await add({
      assets: uids.map((uid) => asset(uid, 'store', 'aws_dynamodb_table')),
      edges: uids.map((uid) => edgeOf(`far may_access:read ${uid}`)),
      // one in a thousand is worth more than the others
      jewels: uids.map((resource_uid, n) => ({
        ...{
          resource_uid,
          origin: 'proposed' as const,
          reason: 'told',
          tier: (from + n) % 1_000 === 7 ? ('critical' as const) : ('low' as const),
        },
      })),
    });
  }
  const paths: PathDraft[] = [];
  for (let from: number | null = 0; from !== null;) {
    const page = (await thread.ask({ paths: { from } })) as { items: PathDraft[]; next: number | null };
    paths.push(...page.items);
    from = page.next;
  }
  expect(paths).toHaveLength(1_000);
  expect(paths.slice(0, 101).map(({ jewel }) => jewel.tier)).toEqual([...Array<string>(100).fill('critical'), 'low']);
  const left = (await thread.ask({ leftOut: true })) as { paths: PathIdentity[]; jewels: string[] };
  expect(left.paths.length + left.jewels.length).toBe(JEWELS - 1_000);
  thread.close();
});
