import { isItem, type Item } from '../../importers/cloud/item.js';
import { commandText, filledIn } from '../shell-text.js';

const MAX_PORTS = 100;
/** What is taken as it stands. */
const PLAIN = ['image', 'privileged', 'network_mode', 'pid', 'ipc', 'userns_mode', 'uts', 'cgroup', 'user', 'read_only'] as const;
const LISTS = ['cap_add', 'cap_drop', 'security_opt'] as const;

/** A service in one form, whichever of the forms that Compose knows it is written in. */
export function serviceConfiguration(given: Item): Record<string, unknown> {
  const service = interpolated(given) as Item; // a map gives a map
  const { deploy, healthcheck, mem_limit } = service;
  return {
    ...Object.fromEntries(PLAIN.flatMap((key) => (service[key] === undefined || service[key] === null ? [] : [[key, service[key]]]))),
    ...Object.fromEntries(LISTS.map((key) => [key, textsOf(service[key])])),
    built: service.build !== undefined,
    environment: pairsOf(service.environment),
    volumes: listOf(service.volumes).flatMap(volumeOf),
    devices: listOf(service.devices).map((device) => (isItem(device) ? String(device.source ?? '') : String(device).split(':')[0]!)),
    ports: listOf(service.ports).flatMap(portsOf),
    command: [service.entrypoint, service.command].flatMap(textsOf).map(commandText).join(' '),
    healthcheck: isItem(healthcheck) && healthcheck.disable !== true && !textsOf(healthcheck.test).includes('NONE'),
    memory_limited: mem_limit !== undefined || memoryOf(deploy) !== undefined,
  };
}

const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : value === undefined || value === null ? [] : [value];
const textsOf = (value: unknown): string[] => listOf(value).map(String);

function memoryOf(deploy: unknown): unknown {
  const resources = isItem(deploy) ? deploy.resources : undefined;
  const limits = isItem(resources) ? resources.limits : undefined;
  return isItem(limits) ? limits.memory : undefined;
}

/** Variables have their defaults; others stay references, since nobody knows the environment that it is started in. */
function interpolated(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('$') ? filledIn(value, () => undefined) : value;
  if (Array.isArray(value)) return (value as unknown[]).map(interpolated);
  return isItem(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, interpolated(inner)])) : value;
}

/** Environment as a map or as a list of `NAME=value`; a name without a value is taken from the shell. */
function pairsOf(value: unknown): { name: string; value: string }[] {
  const pairs = isItem(value)
    ? Object.entries(value).map(([name, own]) => [name, own] as const)
    : textsOf(value).map((text) => {
        const end = text.indexOf('=');
        return [end < 0 ? text : text.slice(0, end), end < 0 ? undefined : text.slice(end + 1)] as const;
      });
  return pairs.flatMap(([name, own]) => (own === undefined || own === null ? [] : [{ name, value: String(own) }]));
}

/** `source:target:mode` or its long form; only paths of the host have a source. */
function volumeOf(volume: unknown): Record<string, unknown>[] {
  if (isItem(volume)) {
    const { type, source, target, read_only } = volume;
    return [
      {
        type: String(type ?? 'volume'),
        source: hostPath(String(source ?? '')),
        target: String(target ?? ''),
        read_only: read_only === true,
      },
    ];
  }
  const parts = String(volume).split(':');
  if (parts.length === 1) return [{ type: 'volume', source: '', target: parts[0]!, read_only: false }];
  const [source = '', target = '', mode = ''] = parts;
  return [
    { type: /^[./~$]/.test(source) ? 'bind' : 'volume', source: hostPath(source), target, read_only: mode.split(',').includes('ro') },
  ];
}

const hostPath = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, '') || '/' : path);

/** `[address:][published:]target[/protocol]` or its long form, a port each. */
function portsOf(port: unknown): Record<string, unknown>[] {
  if (isItem(port))
    return each(String(port.target ?? ''), { published: String(port.published ?? ''), host_ip: String(port.host_ip ?? '') });
  const [, address = '', published = '', target = ''] =
    /^(?:(\[[^\]]*\]|[\d.]+(?=:[^:]*:)):)?(?:([^:]*):)?([^:/]+)(?:\/\w+)?$/.exec(String(port)) ?? [];
  return each(target, { published, host_ip: address.replaceAll(/[[\]]/g, '') });
}

function each(target: string, more: Record<string, unknown>): Record<string, unknown>[] {
  const [first = '', last = first] = target.split('-');
  if (!/^\d+$/.test(first) || !/^\d+$/.test(last)) return [{ target, ...more }];
  const count = Math.min(Number(last) - Number(first) + 1, MAX_PORTS);
  return Array.from({ length: Math.max(count, 0) }, (_, n) => ({ target: String(Number(first) + n), ...more }));
}
