import { action } from './trials.js';

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
