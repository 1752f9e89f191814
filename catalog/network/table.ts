import { readFileSync, readdirSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';

const path = z.string().regex(/^\^?[a-z0-9_.[\]]+$/);
const paths = z.union([path.transform((one) => [one]), z.array(path)]).default([]);
const number = z.number().int();

/** How the rules of a resource are read. A path that begins with `^` starts at the resource, others at the block that `each` names. */
const ruleSchema = z.strictObject({
  each: path.optional(),
  /** Blocks of protocol and ports inside one rule. */
  layers: paths,
  direction: z.union([z.enum(['ingress', 'egress']), z.strictObject({ path, egress: z.string(), absent: z.enum(['ingress', 'egress']) })]),
  action: z.union([z.enum(['allow', 'deny']), z.strictObject({ path })]).default('allow'),
  protocol: paths,
  /** Blocks whose presence names the protocol. */
  protocol_blocks: z.array(z.string()).default([]),
  from: paths,
  to: paths,
  ranges: paths,
  /** Addresses of the other side, by direction where they differ. */
  ingress: z.strictObject({ blocks: paths, members: paths, tags: paths, others: paths }).prefault({}),
  egress: z.strictObject({ blocks: paths, members: paths, tags: paths, others: paths }).prefault({}),
  /** Whether a rule that names nobody means everybody. */
  everybody: z.boolean().default(false),
  self: path.optional(),
  /** First and last address of the other side. */
  between: z.tuple([path, path]).optional(),
  priority: z.union([path, z.literal('order')]).optional(),
  default_priority: number.default(0),
  stateless: path.optional(),
  disabled: path.optional(),
  targets: paths,
  label: paths,
});

const routeSchema = z.strictObject({ each: path.optional(), blocks: paths, via: paths, hop: paths });

const partSchema = z.strictObject({
  type: z.union([z.string().transform((one) => [one]), z.array(z.string())]),
  part: z.enum([
    'network',
    'subnet',
    'workload',
    'interface',
    'firewall',
    'acl',
    'rule',
    'route_table',
    'route',
    'gateway',
    'peering',
    'attachment',
    'address',
    'balancer',
    'listener',
    'group',
    'target',
    'link',
    'endpoint',
    'member',
  ]),
  /** What a gateway leads to. */
  gateway: z.enum(['internet', 'outbound', 'transit', 'vpn']).optional(),
  refs: z.record(z.string(), paths).default({}),
  texts: z.record(z.string(), paths).default({}),
  /** Roles that this resource gives to another: `{subnet: acl}` makes it the `acl` of what its ref `subnet` names. */
  gives: z.record(z.string(), z.string()).default({}),
  /** Of a link: what `from` gets, and the ref that says what. */
  link: z.strictObject({ from: z.string(), role: z.string(), to: z.string() }).optional(),
  rules: z.array(ruleSchema).default([]),
  routes: z.array(routeSchema).default([]),
  /** Whether the resource is reachable from the internet, and by whom. */
  public: z
    .strictObject({
      path: path.optional(),
      on: z.array(z.union([z.string(), z.boolean()])).default([true]),
      absent: z.boolean().optional(),
      blocks: paths,
      /** What the absence of any block means. */
      unlisted: z.enum(['everyone', 'nobody']).default('everyone'),
      port: z.union([number, path]).optional(),
    })
    .optional(),
});

const providerSchema = z.strictObject({
  provider: z.string(),
  /** Whether a route to an internet gateway is needed for a public address to work. */
  internet_route: z.enum(['required', 'implied']),
  /** What happens to packets that no rule names. */
  firewall: z.strictObject({
    ingress: z.enum(['allow', 'deny']),
    egress: z.enum(['allow', 'deny']),
    /** Whether several firewalls of one place are one list of rules, or are asked one after the other. */
    several: z.enum(['union', 'each']).default('union'),
    /** What a place without any firewall admits. */
    none: z.strictObject({ ingress: z.enum(['allow', 'deny', 'unknown']), egress: z.enum(['allow', 'deny', 'unknown']) }),
  }),
  acl: z
    .strictObject({ ingress: z.enum(['allow', 'deny']), egress: z.enum(['allow', 'deny']), none: z.enum(['allow', 'deny', 'unknown']) })
    .optional(),
  parts: z.array(partSchema),
});

export type RuleReading = z.infer<typeof ruleSchema>;
export type PartReading = z.infer<typeof partSchema>;
export type ProviderTable = z.infer<typeof providerSchema>;

const FOLDER = new URL('./tables/', import.meta.url);
let tables: readonly ProviderTable[] | undefined;

/** What the resource types of each provider are in a network (`catalog/network/tables/`); throws where a table is not of the form. */
export function networkTables(): readonly ProviderTable[] {
  tables ??= readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => providerSchema.parse(load(readFileSync(new URL(file, FOLDER), 'utf8'))));
  return tables;
}
