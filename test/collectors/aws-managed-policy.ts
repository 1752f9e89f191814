import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether one of some policies that AWS keeps (as the catalog holds them) allows an action. */
export function managedPolicy(...names: readonly string[]): (action: string) => boolean {
  const rows = readFileSync(join(__dirname, '../../catalog/access/managed/aws.tsv'), 'utf8').split('\n');
  const allowed = names.flatMap((name) => {
    const row = rows.find((one) => one.startsWith(`${name}\t`));
    if (row === undefined) throw new Error(`no policy ${name}`);
    const { Statement } = JSON.parse(row.split('\t')[1]!) as { Statement: { Effect: string; Action: string | string[] }[] };
    return Statement.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action }) => Action);
  });
  const patterns = allowed.map((action) => new RegExp(`^${action.replaceAll('*', '.*')}$`, 'i'));
  return (action) => patterns.some((pattern) => pattern.test(action));
}
