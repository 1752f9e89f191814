import { importers, NotOfFormat } from '../../importers/index.js';
import { readAll } from './read-all.js';

/** What an empty list covers of a tool whose name is given with it: as much as any report of that tool in which nothing is told of where it looked. */
const COVERED: Readonly<Record<string, readonly string[]>> = {
  eslint: ['secops'],
  checkov: ['check', 'secops', 'vulnerability'],
  gitleaks: ['secops'],
  yarn_audit: ['vulnerability'],
  pip_audit: ['vulnerability'],
  kubescape: ['container-security'],
  kubeaudit: ['container-security'],
};

/** Tools that scan more than files, and whose reports cover an artifact only where it is named. */
const COVERED_BY_NAME: Readonly<Record<string, readonly string[]>> = { trufflehog: ['secops'] };

const scopesOf = async (format: string, artifact?: string) => {
  try {
    const { items } = await readAll(format, '[]', artifact === undefined ? {} : { artifact });
    return items.flatMap((item) => (item.kind === 'scope' ? [item.scope] : []));
  } catch (error) {
    if (error instanceof NotOfFormat) return [];
    throw error;
  }
};

it.each(importers.map(({ name }) => name))(
  '%s: an empty list closes nothing but in the artifact that is named, or that stands for it',
  async (format) => {
    for (const artifact of ['shop', undefined]) {
      const engines = COVERED[format] ?? (artifact === undefined ? undefined : COVERED_BY_NAME[format]) ?? [];
      const scopes = await scopesOf(format, artifact);
      expect(scopes.map(({ engine }) => engine).sort()).toEqual([...engines]);
      for (const scope of scopes) {
        expect(scope).toMatchObject({ source: format });
        if (artifact !== undefined) expect(scope.artifact).toBe(artifact);
        else expect(['code', 'cluster']).toContain(scope.artifact);
      }
    }
  },
);
