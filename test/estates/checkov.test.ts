import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { needing } from '../support/shared.js';
import { judgements } from './judged.js';

/** Checks of Checkov: the type that is compared, empty for any, and the ends of ids of the rules that ask the same. */
interface Table {
  checks: Record<string, [type: string, ...ends: string[]]>;
  /** `<check> <estate> <address>` with the reason of the difference and who is right. */
  reviewed: Record<string, string>;
}

interface Judged {
  check_id: string;
  resource: string;
  file_path: string;
}

const { checks, reviewed } = load(readFileSync(join(__dirname, 'checkov.yaml'), 'utf8')) as Table;
const LEAST = 0.93;
const CHECKOV = process.env.CHECKOV ?? 'checkov';

function installed(): string | undefined {
  try {
    execFileSync(CHECKOV, ['--version'], { stdio: 'ignore' });
    return CHECKOV;
  } catch {
    return undefined;
  }
}

/** Checkov writes `Deployment.web.name`, and a container's place behind it. */
const addressOf = (resource: string): string => (/^[A-Z]/.test(resource) ? resource.replaceAll('.', '/') : resource);
/** What has no namespace has none in its address here. */
const plain = (address: string): string => address.replace(/\/(?:default|undefined)(?=\/)/, '');

jest.setTimeout(600_000);

needing(installed()).it(`Checkov says the same of ${LEAST * 100} % of the subjects, and each difference is reviewed`, async () => {
  const args = ['-d', '.', '--framework', 'terraform', 'kubernetes', '-o', 'json', '--compact', '--skip-download', '--soft-fail'];
  const output = execFileSync(CHECKOV, args, {
    cwd: __dirname,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const reports = [JSON.parse(output) as unknown].flat() as { results: { passed_checks: Judged[]; failed_checks: Judged[] } }[];
  const ours = new Map<string, Map<string, string>>();
  for (const kind of ['planted', 'kept'])
    for (const estate of readdirSync(join(__dirname, kind)))
      for (const [address, results] of await judgements(join(__dirname, kind, estate)))
        ours.set(`${kind}/${estate} ${plain(address)}`, results);
  let compared = 0;
  const differences = new Set<string>();
  for (const { results } of reports)
    for (const [theirs, judged] of [
      ['PASS', results.passed_checks],
      ['FAIL', results.failed_checks],
    ] as const)
      for (const { check_id, resource, file_path } of judged) {
        const [type = '', ...ends] = checks[check_id] ?? [];
        const estate = file_path.split('/').slice(1, 3).join('/');
        const own = ours.get(`${estate} ${plain(addressOf(resource))}`);
        if (ends.length === 0 || own === undefined || !resource.startsWith(type)) continue;
        const verdicts = ends
          .map((end) => [...own].find(([id]) => id.endsWith(`.${end}`))?.[1])
          .filter((one) => one === 'PASS' || one === 'FAIL');
        if (verdicts.length === 0) continue;
        compared += 1;
        if ((verdicts.includes('FAIL') ? 'FAIL' : 'PASS') !== theirs)
          differences.add(`${check_id} ${estate} ${resource}: Checkov ${theirs}`);
      }
  expect(compared).toBeGreaterThan(100);
  expect([...differences].filter((one) => !Object.hasOwn(reviewed, one.split(':')[0]!))).toEqual([]);
  expect(1 - differences.size / compared).toBeGreaterThanOrEqual(LEAST);
});
