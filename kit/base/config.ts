import { isIP } from 'node:net';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ALLOWANCES, QUOTAS_PATTERN } from './quotas.js';

const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);
const range = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
const httpUrl = (message: string, rest = '') => z.url().regex(new RegExp(`^https?://[^/?#]+${rest}`, 'i'), message);
const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

/** Marks a setting that holds a secret: it may be given as a file as well, whose name stands in the variable with `_FILE` behind it. */
const secret = { secret: true };

const DOMAIN_OF = /^((?:[a-z0-9-]+\.)+[a-z0-9-]+)(?:\s*=(.+))?$/i;

/** An address with an optional port, as `dns.setServers` takes it. */
function isNameServer(text: string): boolean {
  const [, six, four] = /^(?:\[([0-9a-f:.]+)\](?::\d{1,5})?|([0-9.]+)(?::\d{1,5})?)$/i.exec(text) ?? [];
  return isIP(text) !== 0 || (six !== undefined && isIP(six) === 6) || (four !== undefined && isIP(four) === 4);
}

/** Every setting that the environment may carry. The table of docs/configuration.md is checked against this object. */
export const environmentSchema = z.object({
  PORT: whole(0, 65_535).default(8000).describe('Port to listen on; 0 picks a free one.'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'must start with mongodb:// or mongodb+srv://')
    .optional()
    .describe('Use this MongoDB instead of the embedded store.')
    .meta(secret),
  MONGODB_DB: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,38}$/)
    .default('palisade')
    .describe('Name of the database.'),
  PUBLIC_URL: httpUrl('must be http:// or https:// and a host, without a path', '/?$')
    .optional()
    .describe('The address that browsers use; it decides the Secure cookie, the allowed Origin and where links in mails lead.'),
  PALISADE_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe('Master secret of all processes of one deployment; made and kept in the data folder when absent.')
    .meta(secret),
  ENGINES: list.optional().describe('Engine processes: the engines that this one serves, comma-separated; all when absent.'),
  ENGINES_URL: httpUrl('must start with http:// or https://')
    .optional()
    .describe('Gateway process: where the engines listen, for example http://engines:8001.'),
  ENGINE_TIMEOUT_MS: whole(10, 600_000).default(10_000).describe('Time budget of one call to one engine, in milliseconds.'),
  FAN_OUT_TIMEOUT_MS: whole(10, 60_000)
    .default(1_500)
    .describe('Time budget of one engine in the related-findings fan-out, in milliseconds.'),
  MAX_IMPORT_MB: whole(1, 16_384).default(512).describe('Largest report accepted, in MiB, before and after decompression.'),
  OBJECT_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Folder of staged uploads; the data folder when absent. All processes of a deployment must see it.'),
  RATE_LIMITS: z
    .string()
    .regex(/^(starter|growth|enterprise|address)=\d+\/\d+(,(starter|growth|enterprise|address)=\d+\/\d+)*$/)
    .optional()
    .describe(
      'Overrides of the plans, and of calls without a session from one address, for example enterprise=5000/200000,address=600/12000 (calls a minute / an hour).',
    ),
  QUOTAS: z
    .string()
    .regex(QUOTAS_PATTERN, `must be a list of PLAN.ALLOWANCE=NUMBER, with the allowances ${ALLOWANCES.join(', ')}`)
    .optional()
    .describe(
      'Overrides of what the plans allow to be stored and evaluated, for example starter.findings=50000,enterprise.assets=9000000.',
    ),
  TRUSTED_PROXIES: list
    .pipe(z.array(z.union([range, z.enum(['loopback', 'linklocal', 'uniquelocal'])], 'must be addresses, or networks as CIDR')))
    .optional()
    .describe('Addresses whose X-Forwarded-For is believed; none when absent.'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must start with smtp:// or smtps://')
    .optional()
    .describe('Mail server, for example smtps://user:password@mail.example.com; without one, no mail is sent.')
    .meta(secret),
  MAIL_FROM: z.string().min(3).default('Palisade <palisade@localhost>').describe('Sender of mail.'),
  OUTBOUND_ALLOW: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'must be networks as CIDR')))
    .optional()
    .describe(
      'Private networks that webhooks, integrations and sign-in providers may lie in, as CIDR, for example 10.0.0.0/8; none when absent.',
    ),
  DNS_SERVERS: list
    .pipe(
      z.array(z.string().refine(isNameServer, 'must be addresses with an optional port, for example 192.0.2.53:53 or [2001:db8::53]:53')),
    )
    .optional()
    .describe(
      'Name servers that the records of claimed domains are looked up at, comma-separated addresses; those of the machine when absent.',
    ),
  VERIFIED_DOMAINS: list
    .pipe(z.array(z.string().regex(DOMAIN_OF, 'must be domain=organization, for example acme.example=Acme, or a domain alone')))
    .transform((entries) =>
      entries.map((entry) => {
        const [, domain, organization] = DOMAIN_OF.exec(entry)!;
        return { domain: domain!.toLowerCase(), organization: organization?.trim() ?? null };
      }),
    )
    .refine((entries) => new Set(entries.map(({ domain }) => domain)).size === entries.length, 'names a domain twice')
    .optional()
    .describe(
      'Domains that the operator answers for, with the id or name of the organization that has them, for example acme.example=Acme,globex.example=org_1f3a; a domain alone is that of the organization that claims it first, unless one holds it already. The same for every process.',
    ),
  NOTIFY_AFTER_SECONDS: whole(0, 3_600)
    .default(30)
    .describe('Seconds for which a notification rule gathers findings before it sends one message.'),
  FEEDS_URL_KEV: httpUrl('must start with http:// or https://')
    .optional()
    .describe('Address of the catalog of known exploited vulnerabilities (CISA, JSON or CSV), fetched daily by workers.'),
  FEEDS_URL_EPSS: httpUrl('must start with http:// or https://')
    .optional()
    .describe('Address of exploit predictions (EPSS, CSV or gzip), fetched daily by workers.'),
  FEEDS_URL_OSV: httpUrl('must start with http:// or https://')
    .optional()
    .describe('Address of advisories (OSV, zip, JSON or JSON lines), fetched daily by workers.'),
  RULE_PROFILE: z
    .enum(['recommended', 'cis-1', 'cis-2', 'all'])
    .default('recommended')
    .describe(
      'The profile of posture rules of tenants that have chosen none: recommended, cis-1, cis-2 or all. The same for every process.',
    ),
  METRICS_TOKEN: z.string().min(16).optional().describe('Bearer token for GET /metrics from other addresses than loopback.').meta(secret),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('warn').describe('Log level.'),
  OPERATOR_CLOUD_ACCOUNTS: list
    .optional()
    .describe('Accounts, subscriptions and projects of the operator, comma-separated: no tenant may connect them.'),
  COLLECTOR_AWS_PRINCIPAL: z
    .string()
    .regex(/^arn:aws[a-z-]*:iam::\d{12}:.+$/, 'must be the ARN of an IAM identity')
    .optional()
    .describe('ARN of the identity of this deployment in AWS, which the roles of connected accounts trust; onboarding templates name it.'),
  COLLECTOR_AWS_ACCESS_KEY_ID: z
    .string()
    .min(16)
    .optional()
    .describe('Id of the access key of that identity; without one, accounts of AWS that are connected by a role cannot be tried.'),
  COLLECTOR_AWS_SECRET_ACCESS_KEY: z.string().min(16).optional().describe('The secret of that access key.').meta(secret),
  DEMO_PASSWORD: z
    .string()
    .min(8)
    .optional()
    .describe('Password of all demo accounts; a random one is printed at the first start when absent.')
    .meta(secret),
  DEMO_TOTP_SECRET: z
    .string()
    .regex(/^[A-Z2-7]{16,}=*$/, 'must be base32')
    .optional()
    .describe('TOTP secret of the demo accounts that need a second factor.')
    .meta(secret),
  DATA_ON_SHARED_FILESYSTEM: z
    .enum(['refuse', 'allow'])
    .default('refuse')
    .describe(
      'Whether the embedded store may lie on a network file system, where locks may not hold between machines: allow it where one machine alone uses it.',
    ),
  WORKER_HEALTH_PORT: whole(0, 65_535)
    .optional()
    .describe('Worker process: port of its health endpoints /live and /ready; it listens nowhere when absent.'),
  WORKER_CONCURRENCY: whole(1, 16).default(4).describe('Jobs that one worker runs at a time, of which a tenant has at most a quarter.'),
});

/** What the command line may carry beside the environment. */
export const argumentSchema = {
  data: { type: 'string' },
  memory: { type: 'boolean' },
  empty: { type: 'boolean' },
  port: { type: 'string' },
} as const;

export interface Config extends Readonly<z.infer<typeof environmentSchema>> {
  /** The folder of the embedded store, the master key and staged uploads; null keeps nothing (`--memory`). */
  readonly dataDir: string | null;
  /** Load no demo data (`--empty`). */
  readonly empty: boolean;
}

/** The settings do not hold; the message lists every mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Record<string, string | undefined>;

/** Settings that hold a secret. */
export const SECRET_SETTINGS: readonly string[] = Object.entries(environmentSchema.shape)
  .filter(([, field]) => field.meta()?.['secret'] === true)
  .map(([name]) => name);

/** The settings of `env`, with those secrets that it names a file for. */
function withSecretFiles(env: Environment, mistakes: string[]): Environment {
  const set = Object.fromEntries(Object.entries(env).filter(([key, value]) => key in environmentSchema.shape && value !== ''));
  for (const name of SECRET_SETTINGS) {
    const file = env[`${name}_FILE`];
    if (!file) continue;
    if (set[name] !== undefined) mistakes.push(`${name} and ${name}_FILE exclude each other`);
    try {
      // editors and `echo` end a file with a line break
      set[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      mistakes.push(`${name}_FILE: ${(error as Error).message}`);
    }
  }
  return set;
}

/**
 * Reads the settings from `env` and `args`, and secrets from the files that `env` names; names all mistakes at once.
 * @throws ConfigError
 */
export function loadConfig(env: Environment, args: readonly string[] = []): Config {
  const mistakes: string[] = [];
  const set = withSecretFiles(env, mistakes);
  let values: { data?: string; memory?: boolean; empty?: boolean; port?: string } = {};
  try {
    values = parseArgs({ args: [...args], options: argumentSchema, strict: true }).values;
  } catch (error) {
    mistakes.push((error as Error).message);
  }
  const parsed = environmentSchema.safeParse({ ...set, ...(values.port !== undefined && { PORT: values.port }) });
  if (!parsed.success) mistakes.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  if (values.memory && values.data) mistakes.push('--memory and --data exclude each other');
  if (mistakes.length || !parsed.success)
    throw new ConfigError(`The configuration has ${mistakes.length} mistake(s):\n  ${mistakes.join('\n  ')}`);
  return { ...parsed.data, dataDir: values.memory ? null : (values.data ?? '.palisade'), empty: values.empty ?? false };
}
