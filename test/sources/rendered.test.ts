import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findSources } from '../../sources/find.js';
import type { Found } from '../../sources/types.js';
import { folderOf, toldBy } from './folder.js';
import { needing } from '../support/shared.js';

const find = (...paths: string[]): Promise<Found> => findSources(paths, { readInput: () => Promise.resolve(Buffer.from('')) });
const deployment = (image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: ${image} }] }
`;
const CHART = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'chart/values.yaml': 'image: nginx:1.27\nprivileged: true\n',
  'chart/templates/web.yaml': deployment('{{ .Values.image | quote }}'),
  'chart/templates/more/pod.yaml':
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-job\nspec:\n  containers:\n    - { name: a, image: a, securityContext: { privileged: {{ .Values.privileged }} } }\n',
  'chart/charts/inner/Chart.yaml': 'apiVersion: v2\nname: inner\nversion: 1.0.0\n',
  'chart/charts/inner/templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Chart.Name }} }\n',
};
const OVERLAY = {
  'base/kustomization.yaml': 'resources: [web.yaml]\n',
  'base/web.yaml': deployment('nginx:1.27'),
  'prod/kustomization.yaml':
    'resources: [../base]\nnamePrefix: prod-\nimages: [{ name: nginx, newTag: "1.28" }]\npatches: [{ path: more.yaml, target: { kind: Deployment } }]\n',
  'prod/more.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: any }\nspec: { template: { spec: { hostNetwork: true } } }\n',
};

function installed(command: string, ...args: string[]): string | undefined {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return command;
  } catch {
    return undefined;
  }
}

/** Runs with nothing but these programs to be found. */
async function withPath<T>(path: string, run: () => Promise<T>): Promise<T> {
  const before = process.env.PATH;
  process.env.PATH = path;
  try {
    return await run();
  } finally {
    process.env.PATH = before;
  }
}

needing(installed('kubectl', 'kustomize', '--help')).describe('a kustomization', () => {
  it('is built, and what it is made of is not read by itself', async () => {
    const folder = folderOf({
      ...OVERLAY,
      'other/pod.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: { containers: [] }\n',
    });
    const { sources, skipped } = await find(folder);
    const told = await Promise.all(sources.map(toldBy));
    expect(told.flatMap(({ assets }) => assets.map(({ source }) => source.address)).sort()).toEqual([
      'Deployment/default/prod-web',
      'Pod/default/p',
    ]);
    const [built] = told.filter(({ assets }) => assets.some(({ resource_name }) => resource_name === 'prod-web'));
    expect(built!.of('Deployment/default/prod-web')).toMatchObject({
      spec: { template: { spec: { hostNetwork: true, containers: [{ image: 'nginx:1.28' }] } } },
    });
    expect(skipped).toEqual([]);
    const source = sources.find(({ name }) => name.endsWith('prod'))!;
    expect(source.placeOf(built!.assets[0]!)).toEqual({ file: join(folder, 'prod/kustomization.yaml') });
    expect([source.isMadeFrom!(join(folder, 'base/web.yaml')), source.isMadeFrom!(join(folder, 'other/pod.yaml'))]).toEqual([true, false]);
  });

  it.each([['https://github.com/example/base?ref=v1'], ['github.com/example/base//deploy?ref=v1'], ['../outside'], ['link']])(
    'that takes in %s, which is not below the folder, is told and nothing is fetched',
    async (resource) => {
      const around = folderOf({ 'outside/web.yaml': deployment('a:1'), 'in/kustomization.yaml': `resources: ["${resource}"]\n` });
      symlinkSync(join(around, 'outside'), join(around, 'in/link'));
      const { skipped, sources } = await find(join(around, 'in'));
      expect(sources).toEqual([]);
      expect(skipped.map(({ reason }) => reason)).toContainEqual(
        expect.stringContaining(`refers to ${resource}, which is not in the folder`),
      );
    },
  );

  it('that cannot be built is told with what its tool says', async () => {
    const { skipped } = await find(folderOf({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': 'kind: [\n' }));
    expect(skipped).toEqual([
      expect.objectContaining({ reason: expect.stringMatching(/^a kustomization that cannot be built: \S/) as unknown }),
    ]);
  });
});

needing(installed('helm', 'version')).it(
  'a chart is rendered with its values, its parts included, and placed in its templates',
  async () => {
    const folder = folderOf(CHART);
    const { sources, skipped } = await find(folder);
    expect([sources.length, skipped]).toEqual([1, []]);
    const told = await toldBy(sources[0]!);
    expect(told.assets.map((asset) => [asset.source.address, sources[0]!.placeOf(asset).file.slice(folder.length + 1)]).sort()).toEqual([
      ['ConfigMap/default/inner', 'chart/charts/inner/templates/map.yaml'],
      ['Deployment/default/web', 'chart/templates/web.yaml'],
      ['Pod/default/release-job', 'chart/templates/more/pod.yaml'],
    ]);
    expect(told.of('Deployment/default/web')).toMatchObject({ spec: { template: { spec: { containers: [{ image: 'nginx:1.27' }] } } } });
    expect(told.of('Pod/default/release-job')).toMatchObject({ spec: { containers: [{ securityContext: { privileged: true } }] } });
  },
);

describe('values of charts that are named', () => {
  const render = async (folder: string, chartValues: string[]): Promise<[string, string[]]> => {
    const tools = mkdtempSync(join(tmpdir(), 'palisade-path-'));
    writeFileSync(join(tools, 'helm'), '#!/bin/sh\necho "$*" >&2\nexit 1\n');
    chmodSync(join(tools, 'helm'), 0o755);
    const options = { chartValues, readInput: () => Promise.resolve(Buffer.from('')) };
    const { skipped, unreadable } = await withPath(tools + delimiter + process.env.PATH, () => findSources([folder], options));
    return [skipped.map(({ reason }) => reason.replaceAll(`${folder}/`, '')).join(), unreadable.map(({ reason }) => reason)];
  };

  it('are those of the chart, else the file itself, and one that nobody has is told', async () => {
    const folder = folderOf({ ...CHART, 'chart/values-prod.yaml': 'privileged: false\n', 'more.yaml': 'image: b\n' });
    const [command, unreadable] = await render(folder, ['values-prod.yaml', join(folder, 'more.yaml')]);
    expect(command).toMatch(/: template release chart --values chart\/values-prod\.yaml --values more\.yaml$/);
    expect(unreadable).toEqual([]);
    expect((await render(folder, ['https://a.example/values.yaml']))[1]).toEqual([expect.stringContaining('no chart that was found')]);
  });

  needing(installed('helm', 'version')).it('count more than the values of the chart', async () => {
    const folder = folderOf({ ...CHART, 'chart/values-prod.yaml': 'privileged: false\n' });
    const options = { chartValues: ['values-prod.yaml'], readInput: () => Promise.resolve(Buffer.from('')) };
    const { sources } = await findSources([folder], options);
    const told = await toldBy(sources[0]!);
    expect(told.of('Pod/default/release-job')).toMatchObject({ spec: { containers: [{ securityContext: { privileged: false } }] } });
  });
});

describe('where its tool', () => {
  it('is not installed, a chart and a kustomization are told, and manifests beside are read as they are', async () => {
    const folder = folderOf({ ...CHART, ...OVERLAY });
    const { skipped, sources } = await withPath(mkdtempSync(join(tmpdir(), 'palisade-path-')), () => find(folder));
    expect(skipped.map(({ file, reason }) => [file.slice(folder.length + 1), reason.split(':')[0]])).toEqual([
      ['chart/Chart.yaml', 'a Helm chart, and helm is not installed'],
      ['prod/kustomization.yaml', 'a kustomization, and neither kustomize nor kubectl is installed'],
    ]);
    expect(sources.map(({ name }) => name.slice(folder.length + 1)).sort()).toEqual(['base/web.yaml', 'prod/more.yaml']);
  });

  it('fails, or the chart has links in it, it is told why', async () => {
    const tools = mkdtempSync(join(tmpdir(), 'palisade-path-'));
    // nothing of the environment comes to it
    writeFileSync(join(tools, 'helm'), '#!/bin/sh\necho "Error: no $SECRET_OF_THE_PIPELINE values" >&2\nexit 1\n');
    chmodSync(join(tools, 'helm'), 0o755);
    process.env.SECRET_OF_THE_PIPELINE = 'exposed';
    const folder = folderOf(CHART);
    const { skipped } = await withPath(tools + delimiter + process.env.PATH, () => find(folder));
    expect(skipped.map(({ reason }) => reason)).toEqual(['a Helm chart that helm does not render: Error: no  values']);
    symlinkSync('/etc', join(folder, 'chart/files'));
    const linked = await withPath(tools + delimiter + process.env.PATH, () => find(folder));
    expect(linked.skipped.map(({ reason }) => reason)).toContainEqual(expect.stringContaining('a Helm chart with links in it'));
  });
});
