import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSources } from '../../sources/find.js';
import type { InventorySource } from '../../sources/types.js';
import { folderOf, toldBy } from './folder.js';

const find = (...paths: string[]) => findSources(paths, { readInput: () => Promise.resolve(Buffer.from('')) });
const BASE =
  'services:\n  web:\n    image: web:1\n    command: [a]\n    ports: ["80:80"]\n    environment: [A=1, B]\n  db: { image: db:1 }\n';

/** What each file tells, by its name: the names of its services. */
async function toldOf(folder: string, sources: readonly InventorySource[]): Promise<Record<string, string[]>> {
  const told: Record<string, string[]> = {};
  for (const source of sources)
    told[source.name.slice(folder.length + 1)] = (await toldBy(source)).assets.map(
      (asset) => `${asset.resource_name}@${source.placeOf(asset).file.slice(folder.length + 1)}`,
    );
  return told;
}

describe('Compose files of one project', () => {
  it('what is laid over takes members away, and puts its own in the place of others', async () => {
    const folder = folderOf({
      'compose.yaml':
        'services:\n  web:\n    image: web:1\n    privileged: true\n    cap_add: [SYS_ADMIN]\n    ports: ["80:80"]\n    deploy: { resources: { limits: { memory: 1g } } }\n',
      'compose.override.yaml':
        'services:\n  web:\n    privileged: !reset null\n    cap_add: !reset []\n    ports: !override ["81:81"]\n    deploy: { resources: { limits: !reset null } }\n',
    });
    const { sources } = await find(folder);
    const web = (await toldBy(sources.find(({ name }) => name.endsWith('compose.yaml'))!)).of('compose_service.web');
    expect([web['privileged'], web['cap_add'], web['memory_limited']]).toEqual([undefined, [], false]);
    expect((web['ports'] as { target: string }[]).map(({ target }) => target)).toEqual(['81']);
  });

  it('the override is laid over its base, once, and its own services are told there', async () => {
    const folder = folderOf({
      'compose.yaml': BASE,
      'compose.override.yaml':
        'services:\n  web:\n    privileged: true\n    command: [b]\n    ports: ["81:81"]\n    environment: { A: 2 }\n  debug: { image: d:1 }\n',
    });
    const { sources } = await find(folder);
    expect(await toldOf(folder, sources)).toEqual({
      'compose.yaml': ['web@compose.yaml', 'db@compose.yaml'],
      'compose.override.yaml': ['debug@compose.override.yaml'],
    });
    const base = sources.find(({ name }) => name.endsWith('compose.yaml'))!;
    const web = (await toldBy(base)).of('compose_service.web');
    expect(web).toMatchObject({ privileged: true, image: 'web:1', command: 'b', environment: [{ name: 'A', value: '2' }] });
    expect((web['ports'] as { target: string }[]).map(({ target }) => target)).toEqual(['80', '81']);
    expect(base.isMadeFrom!(join(folder, 'compose.override.yaml'))).toBe(true);
    expect(base.isMadeFrom!(join(folder, 'other.yaml'))).toBe(false);
  });

  it('what a file takes away or replaces by a tag does not stay of its base', async () => {
    const folder = folderOf({
      'compose.yaml':
        'services:\n  web: { image: web:1, privileged: true, read_only: true, ports: ["80:80"], cap_add: [SYS_ADMIN], environment: { A: 1 } }\n  debug: { image: d:1, privileged: true }\n',
      'compose.override.yaml':
        'services:\n  web:\n    privileged: !reset null\n    read_only: !override false\n    ports: !override ["81:81"]\n    cap_add: !reset []\n    environment: { A: !reset null, B: !override 2 }\n  debug: !reset null\n',
    });
    const { sources, skipped } = await find(folder);
    expect(await toldOf(folder, sources)).toEqual({ 'compose.yaml': ['web@compose.yaml'], 'compose.override.yaml': [] });
    expect(skipped).toEqual([]);
    const base = sources.find(({ name }) => name.endsWith('compose.yaml'))!;
    const web = (await toldBy(base)).of('compose_service.web');
    expect(web).not.toHaveProperty('privileged');
    expect(web).toMatchObject({ read_only: false, cap_add: [], environment: [{ name: 'B', value: '2' }] });
    expect((web['ports'] as { target: string }[]).map(({ target }) => target)).toEqual(['81']);
  });

  it('a file for one environment is judged with the base that it is laid over', async () => {
    const folder = folderOf({ 'docker-compose.yml': BASE, 'docker-compose.prod.yml': 'services: { web: { user: "10001" } }\n' });
    const { sources } = await find(join(folder, 'docker-compose.prod.yml'));
    expect((await toldBy(sources[0]!)).of('compose_service.web')).toMatchObject({ image: 'web:1', user: '10001' });
    const alone = await find(join(folder, 'docker-compose.yml'));
    expect((await toldBy(alone.sources[0]!)).of('compose_service.web')).not.toHaveProperty('user');
  });

  it('a service has what it extends in another file, and files that are included are read where they stand', async () => {
    const files = {
      'compose.yaml':
        'include: [parts/db.yaml, { path: [parts/compose.yaml] }]\nservices:\n  web:\n    extends: { file: parts/common.yaml, service: base }\n    image: web:1\n',
      'parts/common.yaml': 'services:\n  base: { extends: root, cap_add: [SYS_ADMIN] }\n  root: { privileged: true }\n',
      'parts/db.yaml': 'services: { db: { image: db:1 } }\n',
      'parts/compose.yaml': 'services: { cache: { image: c:1 } }\n',
    };
    const folder = folderOf(files);
    const { sources, skipped } = await find(join(folder, 'compose.yaml'));
    expect(skipped.concat(sources[0]!.skipped!())).toEqual([]);
    expect((await toldOf(folder, sources))['compose.yaml']!.sort()).toEqual([
      'cache@parts/compose.yaml',
      'db@parts/db.yaml',
      'web@compose.yaml',
    ]);
    expect((await toldBy(sources[0]!)).of('compose_service.web')).toMatchObject({ privileged: true, cap_add: ['SYS_ADMIN'] });
    // in a folder that is searched, what is found by itself is told once
    const told = await toldOf(folder, (await find(folder)).sources);
    expect(
      Object.values(told)
        .flat()
        .filter((one) => one.startsWith('cache')),
    ).toEqual(['cache@parts/compose.yaml']);
  });

  it('nothing outside of the folder is read, also by links, and what is not there is told', async () => {
    const outer = folderOf({ 'secret.yaml': 'services: { base: { privileged: true } }\n' });
    const folder = join(outer, 'project');
    mkdirSync(folder);
    symlinkSync(join(outer, 'secret.yaml'), join(folder, 'linked.yaml'));
    const extending = (file: string): string => `{ image: a:1, extends: { file: ${file}, service: base } }`;
    writeFileSync(
      join(folder, 'compose.yaml'),
      `include: [../secret.yaml, none.yaml]\nservices:\n  a: ${extending('../secret.yaml')}\n  b: ${extending('linked.yaml')}\n  c: { image: c:1 }\n`,
    );
    const { sources } = await find(folder);
    const told = await toldBy(sources[0]!);
    expect(told.assets.map(({ resource_name }) => resource_name)).toEqual(['c']);
    const reasons = sources[0]!.skipped!().map(({ line, reason }) => [
      line,
      /(?:outside of the file's folder|is not there)$/.exec(reason)?.[0],
    ]);
    expect(reasons).toEqual([
      [1, "outside of the file's folder"],
      [1, 'is not there'],
      [3, "outside of the file's folder"],
      [4, "outside of the file's folder"],
    ]);
  });

  it('files that include or extend one another in a circle come to an end', async () => {
    const folder = folderOf({
      'compose.yaml': 'include: [b.yaml]\nservices: { a: { extends: { file: b.yaml, service: b } } }\n',
      'b.yaml': 'include: [compose.yaml]\nservices: { b: { extends: { file: compose.yaml, service: a } } }\n',
    });
    const { sources } = await find(join(folder, 'compose.yaml'));
    expect((await toldBy(sources[0]!)).assets).toEqual([]);
    expect(sources[0]!.skipped!().map(({ reason }) => reason.split(': ')[1])).toEqual([
      'what it extends is not there',
      'what it extends is not there',
    ]);
  });
});
