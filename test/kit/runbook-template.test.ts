import { fillTemplate, runbookTemplateMistake } from '../../kit/engine/runbook-template.js';

const FINDING = {
  finding_id: 'f1',
  engine: 'check',
  rule_id: 'aws.s3/public?x=1&y',
  severity: 'high',
  provider: 'aws',
  account_id: null,
  region: 'eu-west-1',
  resource_type: 'aws_s3_bucket',
  resource_uid: 'arn:aws:s3:::a b#c',
  resource_name: 'a b#c',
};

it('fills every variable with the value URL-encoded, and leaves empty what the finding has not', () => {
  expect(fillTemplate('https://runbooks.example/{rule_id}?at={resource_uid}&account={account_id}', FINDING)).toBe(
    'https://runbooks.example/aws.s3%2Fpublic%3Fx%3D1%26y?at=arn%3Aaws%3As3%3A%3A%3Aa%20b%23c&account=',
  );
});

it('takes http and https addresses with known variables behind the host', () => {
  for (const good of ['https://r.example', 'http://r.example:8080/x/{engine}/{finding_id}', 'https://r.example/?rule={rule_id}'])
    expect([good, runbookTemplateMistake(good)]).toEqual([good, null]);
  for (const bad of [
    'javascript:alert(1)//{rule_id}',
    'ftp://r.example/{rule_id}',
    '//r.example/{rule_id}',
    'https://{rule_id}.example/',
    'https://r.example{rule_id}/',
    'https://user@r.example/',
    'https://r.example\\@evil.example/',
    'https://r.example/{tenant_id}',
    'https://r.example/{}',
    'https://r.example:99999/',
    '',
  ])
    expect([bad, runbookTemplateMistake(bad)]).toEqual([bad, expect.any(String)]);
});
