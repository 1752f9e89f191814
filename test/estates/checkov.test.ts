import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { load } from 'js-yaml';
import { globs } from '../../catalog/glob.js';
import { needing, shared } from '../support/shared.js';
import { judgements } from './judged.js';

/** Checks of Checkov: the type that is compared, empty for any, and the ends of ids of the rules that ask the same. */
interface Table {
  checks: Record<string, [type: string, ...ends: string[]]>;
  /** By checks, globs of subjects (`<estate or file> <address>`), with the reason of the difference and who is right. */
  reviewed: Record<string, Record<string, string>>;
}

interface Judged {
  check_id: string;
  resource: string;
  resource_address?: string | null;
  file_path: string;
}
interface Report {
  results: { passed_checks: Judged[]; failed_checks: Judged[] };
}

const { checks, reviewed } = load(readFileSync(join(__dirname, 'checkov.yaml'), 'utf8')) as Table;
const LEAST = 0.93;
/** Samples of other tools' projects: plans of Terraform, and manifests. */
const SAMPLES = ['terraform_plan', 'terraform_plan_derived', 'k8s_manifests'];
/** `.ci/run` installs one, and says where. */
const CHECKOV = process.env.CHECKOV ?? 'checkov';

function installed(): string | undefined {
  try {
    execFileSync(CHECKOV, ['--version'], { stdio: 'ignore' });
    return CHECKOV;
  } catch {
    return undefined;
  }
}

/** Checkov writes `Deployment.web.name`, and a container's place behind it; what has no namespace has none in its address here. */
const addressOf = (resource: string): string =>
  /^[A-Z]/.test(resource) ? resource.replaceAll('.', '/').replace(/\/(?:default|undefined)(?=\/)/, '') : resource;
const typeOf = (address: string): string => /(?:^|\.)([a-z]\w*)\.[^.]+$/.exec(address)?.[1] ?? '';
/** An estate, as `kept/aws-edge`, or a sample's file, with the address. */
function subjectOf(path: string, address: string): string {
  const [kind, ...steps] = path.split('/');
  return `${kind === 'samples' ? steps.at(-1) : steps.slice(0, 2).join('/')} ${addressOf(address.replace(/\/default(?=\/)/, ''))}`;
}

function verdictsOfCheckov(folder: string): { subject: string; check: string; type: string; verdict: string }[] {
  const frameworks = ['terraform', 'terraform_plan', 'kubernetes'];
  const asked = ['-d', folder, '--framework', ...frameworks, '-c', Object.keys(checks).join(',')];
  const output = execFileSync(CHECKOV, [...asked, '-o', 'json', '--compact', '--skip-download', '--soft-fail'], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 ** 2,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return ([JSON.parse(output) as unknown].flat() as Report[]).flatMap(({ results }) =>
    (['passed_checks', 'failed_checks'] as const).flatMap((list) =>
      results[list].map(({ check_id, resource, resource_address, file_path }) => {
        const address = resource_address ?? resource;
        const verdict = list === 'passed_checks' ? 'PASS' : 'FAIL';
        return { subject: subjectOf(file_path.slice(1), address), check: check_id, type: typeOf(address), verdict };
      }),
    ),
  );
}

jest.setTimeout(900_000);

needing(installed()).it(`Checkov says the same of ${LEAST * 100} % of the subjects, and each difference is reviewed`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-checkov-'));
  for (const kind of ['planted', 'kept']) cpSync(join(__dirname, kind), join(folder, 'estates', kind), { recursive: true });
  mkdirSync(join(folder, 'samples'));
  for (const path of SAMPLES.flatMap((name) => shared(`data/samples/${name}`) ?? []))
    cpSync(path, join(folder, 'samples', basename(path)), { recursive: true, filter: (file) => !file.endsWith('.tsv') });
  const ends = Object.values(checks).flatMap(([, ...own]) => own.map((end) => `.${end}`));
  const ours = new Map(
    [...(await judgements(folder, (id) => ends.some((end) => id.endsWith(end))))].map(([key, results]) => {
      const [path = '', ...address] = key.split(' ');
      return [subjectOf(path, address.join(' ')), results];
    }),
  );
  const compared = new Map<string, number>();
  const differences = new Set<string>();
  for (const { subject, check, type, verdict } of verdictsOfCheckov(folder)) {
    const [wanted = '', ...own] = checks[check] ?? [];
    const results = ours.get(subject);
    if (results === undefined || (wanted !== '' && wanted !== type)) continue;
    const verdicts = own
      .map((end) => [...results].find(([id]) => id.endsWith(`.${end}`))?.[1])
      .filter((one) => one === 'PASS' || one === 'FAIL');
    if (verdicts.length === 0) continue;
    const where = subject.includes('/') && !/^[\w.-]+\.(?:json|ya?ml) /.test(subject) ? 'estates' : 'samples';
    compared.set(where, (compared.get(where) ?? 0) + 1);
    if ((verdicts.includes('FAIL') ? 'FAIL' : 'PASS') !== verdict) differences.add(`${check} ${subject}: Checkov ${verdict}`);
  }
  const isReviewed = (one: string): boolean => {
    const [, check = '', subject = ''] = /^(\S+) (.*): Checkov \w+$/.exec(one)!;
    return Object.keys(reviewed[check] ?? {}).some((glob) => globs([glob]).test(subject));
  };
  expect([...differences].filter((one) => !isReviewed(one))).toEqual([]);
  expect(compared.get('estates')).toBeGreaterThan(100);
  if (shared('data/samples') !== undefined) expect(compared.get('samples')).toBeGreaterThan(2_000);
  const all = [...compared.values()].reduce((sum, count) => sum + count);
  console.info(`${all} verdicts compared, ${differences.size} differ`);
  expect(1 - differences.size / all).toBeGreaterThanOrEqual(LEAST);
});
