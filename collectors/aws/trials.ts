/** The cheapest call of a service: what it asks, and the permission that this takes. */
export interface Trial {
  readonly service: string;
  readonly permission: string;
  /** Whether the service has one place for all regions. */
  readonly global?: true;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
const action = (name: string, version: string, rest = ''): Pick<Trial, 'method' | 'path' | 'headers' | 'body'> => ({
  method: 'POST',
  path: '/',
  headers: FORM,
  body: `Action=${name}&Version=${version}${rest}`,
});

/** One for each service of the table of calls. */
export const TRIALS: readonly Trial[] = [
  { service: 's3', permission: 's3:ListAllMyBuckets', method: 'GET', path: '/' },
  { service: 'iam', permission: 'iam:ListUsers', global: true, ...action('ListUsers', '2010-05-08', '&MaxItems=1') },
  { service: 'ec2', permission: 'ec2:DescribeRegions', ...action('DescribeRegions', '2016-11-15') },
  { service: 'rds', permission: 'rds:DescribeDBInstances', ...action('DescribeDBInstances', '2014-10-31', '&MaxRecords=20') },
  {
    service: 'kms',
    permission: 'kms:ListKeys',
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'TrentService.ListKeys' },
    body: '{"Limit":1}',
  },
  { service: 'lambda', permission: 'lambda:ListFunctions', method: 'GET', path: '/2015-03-31/functions/?MaxItems=1' },
];

const STS = '2011-06-15';
/** Who a key is of; it takes no permission. */
export const CALLER_IDENTITY = { service: 'sts', ...action('GetCallerIdentity', STS) } as const;

/** Takes a role on for a quarter of an hour. @param externalId null names none */
export const assumeRole = (roleArn: string, externalId: string | null) =>
  ({
    service: 'sts',
    ...action(
      'AssumeRole',
      STS,
      `&DurationSeconds=900&RoleSessionName=palisade&RoleArn=${encodeURIComponent(roleArn)}${externalId === null ? '' : `&ExternalId=${encodeURIComponent(externalId)}`}`,
    ),
  }) as const;
