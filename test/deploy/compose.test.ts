import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { environmentSchema, loadConfig } from '../../kit/base/config.js';

const read = (name: string): string => readFileSync(join(__dirname, '../..', name), 'utf8');

const serviceSchema = z.object({
  image: z.string(),
  build: z.string().optional(),
  command: z.array(z.string()),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  volumes: z.array(z.string()),
  restart: z.string(),
  read_only: z.boolean(),
  tmpfs: z.array(z.string()),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.union([z.object({ test: z.array(z.string()) }), z.object({ disable: z.literal(true) })]),
});
const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  networks: z.record(z.string(), z.object({ internal: z.boolean().optional() })),
  volumes: z.record(z.string(), z.null()),
});
type Service = z.infer<typeof serviceSchema>;

const compose = composeSchema.parse(parse(read('docker-compose.yml'), { merge: true }));
const OURS = ['gateway', 'engines', 'worker'];
const service = (name: string): Service => {
  const found = compose.services[name];
  if (!found) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};
const commandOf = (name: string): string => service(name).command.join(' ');
const checkOf = (name: string): string => {
  const { healthcheck } = service(name);
  return 'test' in healthcheck ? healthcheck.test.join(' ') : '';
};

/** A value as compose fills it in, from the innermost variable outwards, with these set where compose runs. */
function filled(value: string, outside: Record<string, string>): string {
  const next = value.replace(
    /\$\{(\w+)(?::([-?])([^${}]*))?\}/g,
    (_all, key: string, kind: string | undefined, rest: string | undefined) => {
      const given = outside[key];
      if (given) return given;
      if (kind !== '-') throw new Error(`${key}: ${rest ?? 'not set'}`);
      return rest ?? '';
    },
  );
  return next === value ? value : filled(next, outside);
}

/** What the process would see with these variables set where compose runs. */
const environmentOf = (name: string, outside: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(service(name).environment).map(([key, value]) => [key, filled(String(value), outside)]));

const SECRET = 'x'.repeat(32);

describe('docker-compose.yml', () => {
  it('runs a MongoDB and the three parts', () => {
    expect(Object.keys(compose.services).sort()).toEqual([...OURS, 'mongodb'].sort());
  });

  it.each(OURS)('starts %s with a command that there is', (name) => {
    const commands = [...read('cli/commands.ts').matchAll(/^ {2}(\w+): \(\) => /gm)].map(([, command]) => command);
    expect(commands).toContain(name);
    expect(service(name).command).toEqual([name]);
  });

  it.each(OURS)('gives %s only settings that there are, with values that hold', (name) => {
    const environment = environmentOf(name, { PALISADE_SECRET: SECRET });
    expect(Object.keys(environment).filter((key) => !(key in environmentSchema.shape))).toEqual([]);
    expect(() => loadConfig(environment)).not.toThrow();
  });

  it.each(OURS)('gives %s the store, the secret and the objects of the others', (name) => {
    const shared = ['MONGODB_URI', 'MONGODB_DB', 'PALISADE_SECRET', 'OBJECT_DIR'];
    const pick = (of: string) => shared.map((key) => [key, service(of).environment[key]]);
    expect(pick(name)).toEqual(pick('gateway'));
    expect(service(name).volumes).toContain(`objects:${String(service(name).environment['OBJECT_DIR'])}`);
    expect(service(name).image).toBe(service('gateway').image);
  });

  it('refuses to start without a secret and holds none itself', () => {
    expect(() => environmentOf('gateway', {})).toThrow(/PALISADE_SECRET/);
    for (const name of OURS) {
      for (const [key, value] of Object.entries(service(name).environment)) {
        if (/SECRET|TOKEN|PASSWORD/.test(key)) expect(String(value)).toMatch(new RegExp(`^\\$\\{${key}:[?-]`));
        expect(String(value)).not.toMatch(/:\/\/[^/@\s]+:[^/@\s]+@/);
      }
    }
  });

  it('makes MongoDB a replica set of the name that the processes use', () => {
    const set = /--replSet, (\w+)/.exec(service('mongodb').command.join(', '))?.[1];
    expect(set).toBeDefined();
    expect(checkOf('mongodb')).toContain(`rs.initiate({ _id: '${set}', members: [{ _id: 0, host: 'mongodb:27017' }] })`);
    expect(checkOf('mongodb')).toContain('isWritablePrimary');
    expect(service('gateway').environment['MONGODB_URI']).toBe(`mongodb://mongodb:27017/?replicaSet=${set}`);
    expect(service('mongodb').image).toMatch(/^mongo:8\./);
    expect(commandOf('mongodb')).toContain('mongod');
  });

  it('publishes the gateway and nothing else', () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports.length > 0);
    expect(published.map(([name]) => name)).toEqual(['gateway']);
    const [port] = service('gateway').ports;
    expect(filled(port!, {})).toBe(`127.0.0.1:8000:${String(service('gateway').environment['PORT'])}`);
  });

  it.each([[{}], [{ PALISADE_PORT: '9000' }]] as Record<string, string>[][])(
    'tells browsers the address that is published, with %j',
    (outside) => {
      const published = filled(service('gateway').ports[0]!, outside).replace(/:\d+$/, '');
      expect(environmentOf('gateway', { PALISADE_SECRET: SECRET, ...outside })['PUBLIC_URL']).toBe(`http://${published}`);
      const proxied = { PALISADE_SECRET: SECRET, PUBLIC_URL: 'https://palisade.example.com', ...outside };
      expect(environmentOf('gateway', proxied)['PUBLIC_URL']).toBe('https://palisade.example.com');
    },
  );

  it('keeps the store, and the way from gateways to engines, in networks that lead nowhere else', () => {
    for (const network of [...service('mongodb').networks, 'engines']) expect(compose.networks[network]).toEqual({ internal: true });
    const shareNetwork = (a: string, b: string) => service(a).networks.some((network) => service(b).networks.includes(network));
    for (const name of OURS) expect(shareNetwork(name, 'mongodb')).toBe(true);
    expect(shareNetwork('gateway', 'engines')).toBe(true);
    const { ENGINES_URL } = service('gateway').environment;
    expect(ENGINES_URL).toBe(`http://engines:${String(service('engines').environment['PORT'])}`);
  });

  it.each(OURS)('lets %s reach identity providers, trackers, chats and mail servers', (name) => {
    const outward = service(name).networks.filter((network) => !compose.networks[network]?.internal);
    expect(outward).toEqual(['edge']);
    for (const key of ['SMTP_URL', 'OUTBOUND_ALLOW']) expect(service(name).environment).toHaveProperty(key);
  });

  it('checks the health of what listens and waits for it', () => {
    expect(checkOf('gateway')).toContain(':8000/gateway/health');
    expect(checkOf('engines')).toContain(':8001/healthz');
    for (const name of OURS) expect(service(name).depends_on).toMatchObject({ mongodb: { condition: 'service_healthy' } });
    expect(service('gateway').depends_on).toMatchObject({ engines: { condition: 'service_healthy' } });
  });

  it.each([...OURS, 'mongodb'])('gives %s no more rights than it needs', (name) => {
    const { read_only, tmpfs, cap_drop, security_opt, restart } = service(name);
    expect({ read_only, tmpfs, cap_drop, security_opt, restart }).toEqual({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
    });
  });

  it('declares every volume and network that it mounts', () => {
    for (const { volumes, networks } of Object.values(compose.services)) {
      for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
      for (const network of networks) expect(Object.keys(compose.networks)).toContain(network);
    }
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const instructions = lines.map((line) => ({ name: line.trim().split(' ', 1)[0], rest: line.trim().replace(/^\S+\s+/, '') }));
  const all = (name: string): string[] => instructions.filter((one) => one.name === name).map(({ rest }) => rest);
  const last = instructions.slice(instructions.map(({ name }) => name).lastIndexOf('FROM'));
  const inLast = (name: string): string[] => last.filter((one) => one.name === name).map(({ rest }) => rest);

  it('builds in one stage and runs in another', () => {
    const from = all('FROM');
    expect(from).toEqual(['node:20-bookworm-slim AS build', 'node:20-bookworm-slim']);
    expect(all('RUN')).toEqual(expect.arrayContaining(['npm ci', 'npm run build && npm prune --omit=dev']));
    expect(inLast('COPY').every((copy) => copy.startsWith('--from=build '))).toBe(true);
    expect(inLast('RUN').join()).not.toContain('npm');
  });

  it('runs as another user than root', () => {
    expect(inLast('USER')).toEqual(['node']);
  });

  it('starts main.js directly, so that it gets the signals', () => {
    expect(JSON.parse(inLast('ENTRYPOINT').join())).toEqual(['node', 'dist/main.js']);
    expect(JSON.parse(inLast('CMD').join())).toEqual(['all', '--data', '/data']);
  });

  it('sets what must be set before Apollo loads, and settings that there are', () => {
    const environment = Object.fromEntries(
      inLast('ENV')
        .join(' ')
        .split(/\s+/)
        .map((pair) => pair.split('=') as [string, string]),
    );
    const { NODE_ENV, APOLLO_TELEMETRY_DISABLED, ...settings } = environment;
    expect({ NODE_ENV, APOLLO_TELEMETRY_DISABLED }).toEqual({ NODE_ENV: 'production', APOLLO_TELEMETRY_DISABLED: 'true' });
    expect(loadConfig(settings)).toMatchObject({ HOST: '0.0.0.0', PORT: 8000 });
    expect(Object.keys(settings).filter((key) => !(key in environmentSchema.shape))).toEqual([]);
  });

  it('asks the health endpoint', () => {
    expect(inLast('HEALTHCHECK').join()).toContain('/gateway/health');
  });

  it('leaves out what an image must not hold', () => {
    const ignored = read('.dockerignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', '.env', 'node_modules', '.palisade']));
  });
});
