import { readAll } from './read-all.js';

const SECRET = 'Summer2024';

/** What scanners of infrastructure code write where a password stands in the code, each a record of its report. */
const KICS = ['is ', 'is set to ', 'equals ', ''].map((says, n) => ({
  file_name: `main${n}.tf`,
  similarity_id: `${n}`,
  line: 5 + n,
  issue_type: 'IncorrectValue',
  search_key: 'aws_db_instance[main].password',
  expected_value: says === '' ? 'password should come from a secret store' : "'password' should not be 'Summer2024'",
  actual_value: says === '' ? SECRET : `'aws_db_instance.main.password' ${says}'${SECRET}'`,
}));
const WIZ = [
  { expected: 'password should reference a secret', found: SECRET },
  { expected: "'admin_password' should not be plain", found: `'admin_password' is '${SECRET}'` },
  { expected: 'a reference', found: `password = "${SECRET}"` },
].map((told, n) => ({
  ...told,
  fileName: `main${n}.tf`,
  lineNumber: n + 1,
  resourceName: `aws_db_instance[main${n}]`,
  fileType: 'TERRAFORM',
}));

const REPORTS: readonly (readonly [format: string, report: object, records: number])[] = [
  [
    'kics',
    {
      kics_version: 'v2.1.3',
      queries: [{ query_id: 'q', query_name: 'Password in code', severity: 'HIGH', platform: 'Terraform', files: KICS }],
    },
    KICS.length,
  ],
  [
    'wizcli',
    {
      scanOriginResource: { name: 'infra' },
      status: { state: 'SUCCESS', verdict: 'FAILED_BY_POLICY' },
      result: { ruleMatches: [{ rule: { id: 'r', name: 'Password in code' }, severity: 'HIGH', matches: WIZ }] },
    },
    WIZ.length,
  ],
];

it.each(REPORTS)('%s: what was expected and found is kept without the secret in it', async (format, report, records) => {
  const { items, observations } = await readAll(format, report);
  expect(observations).toHaveLength(records);
  expect(JSON.stringify(report)).toContain(SECRET);
  expect(JSON.stringify(items)).not.toContain(SECRET);
  expect(JSON.stringify(observations.map(({ evidence }) => evidence))).toContain('password');
});
