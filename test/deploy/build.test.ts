import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linesOf } from '../../scripts/build/source-lines.mjs';
import { digestOf, listInputs, stampOf } from '../../scripts/build/inputs.mjs';
import { nameOf, takeOver } from '../../scripts/build/pages.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'palisade-build-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};

describe('what a build is made of', () => {
  beforeEach(() => {
    for (const path of [
      'main.ts',
      'kit/row.ts',
      'kit/row.d.ts',
      'kit/words.txt',
      'console/page.tsx',
      'console/page.css',
      'bench/numbers.json',
      'scripts/build.mjs',
      'test/row.test.ts',
      'docs/a.txt',
    ])
      write(path, path);
    write('package.json', '{}');
    write('node_modules/.package-lock.json', '{}');
  });

  it('are modules, the data that they read, pages, the packages and what builds them', () => {
    expect(listInputs(root)).toEqual({
      modules: expect.arrayContaining(['main.ts', 'kit/row.ts']) as string[],
      data: ['kit/words.txt'],
      pages: expect.arrayContaining(['console/page.tsx', 'console/page.css']) as string[],
      all: [
        'console/page.css',
        'console/page.tsx',
        'kit/row.ts',
        'kit/words.txt',
        'main.ts',
        'node_modules/.package-lock.json',
        'package.json',
        'scripts/build.mjs',
      ],
    });
  });

  it('changes with what the files hold, and is looked at when they were written', () => {
    const look = () => {
      const { all } = listInputs(root);
      return { stamp: stampOf(root, all), digest: digestOf(root, all) };
    };
    const first = look();
    expect(look()).toEqual(first);
    write('kit/words.txt', 'kit/words.txt');
    const again = look();
    expect([again.digest === first.digest, again.stamp === first.stamp]).toEqual([true, false]);
    for (const path of ['kit/words.txt', 'main.ts', 'scripts/build.mjs', 'node_modules/.package-lock.json']) {
      const { digest } = look();
      write(path, `${path} `);
      expect([path, look().digest === digest]).toEqual([path, false]);
    }
  });
});

describe('putting a build in place', () => {
  /** Places builds one after another, in a process of its own. @returns the folders after each, and what main.js loads at last */
  function place(...steps: { id: string; before?: string }[]): { folders: string[][]; main: string } {
    write('main.ts', "void import('./cli/row.js');\n");
    const script = `
      import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
      import { join } from 'node:path';
      import { place, stage } from ${JSON.stringify(join(__dirname, '../../scripts/build/place.mjs'))};
      const root = ${JSON.stringify(root)}, dist = join(root, 'dist');
      const hold = (id, pid) => { mkdirSync(join(dist, id, 'in-use'), { recursive: true }); writeFileSync(join(dist, id, 'in-use', String(pid)), ''); };
      const release = (id) => rmSync(join(dist, id, 'in-use'), { recursive: true });
      const folders = [];
      for (const { id, before } of ${JSON.stringify(steps)}) {
        if (before) eval(before);
        const staged = stage(dist);
        writeFileSync(join(staged, 'row.js'), '');
        await place(root, dist, staged, { id, stamp: id });
        folders.push(readdirSync(dist).filter((name) => /^[0-9a-f.]{5,}$/.test(name)).map((name) => name[0]));
      }
      console.log(JSON.stringify({ folders, main: readFileSync(join(dist, 'main.js'), 'utf8') }));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    if (!stdout) throw new Error(stderr);
    return JSON.parse(stdout) as { folders: string[][]; main: string };
  }
  const id = (letter: string) => letter.repeat(16);

  it('keeps the folder of who runs, and of the build before', () => {
    const { folders, main } = place(
      { id: id('a') },
      { id: id('b'), before: `hold('${id('a')}', process.pid)` },
      { id: id('c') },
      { id: id('d') },
      { id: id('e'), before: `release('${id('a')}'); hold('${id('a')}', 2 ** 30)` },
    );
    expect(folders).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'c', 'd'], ['d', 'e']]);
    expect(main).toContain(`import("./${id('e')}/cli/row.js")`);
  });

  it('takes what another has built meanwhile, and clears a folder of another layout away', () => {
    write('dist/kit/old.js', '');
    const { folders } = place({ id: id('a') }, { id: id('a') });
    expect(folders).toEqual([['a'], ['a']]);
    expect(listInputs(root).all).not.toContain('dist/kit/old.js');
  });
});

describe('the pages of the build before', () => {
  const SOURCES = ['console/page.tsx', 'kit/row.ts'];
  let name: string;
  beforeEach(() => {
    for (const path of [...SOURCES, 'package.json', 'node_modules/.package-lock.json', 'scripts/build/pages.mjs']) write(path, path);
    name = nameOf(root, SOURCES);
    write(`old/${name}/made-of.json`, JSON.stringify(SOURCES));
    write(`old/${name}/page.js.gz`, 'packed');
  });
  const take = () => takeOver(root, join(root, 'old'), join(root, 'new'));

  it('are taken over while what they are made of stays as it is', () => {
    write('kit/other.ts', 'new');
    expect(take()).toBe(true);
    expect(readFileSync(join(root, 'new', name, 'page.js.gz'), 'utf8')).toBe('packed');
    expect(takeOver(root, join(root, 'nothing'), join(root, 'new'))).toBe(false);
  });

  it.each(['kit/row.ts', 'console/page.tsx', 'node_modules/.package-lock.json', 'scripts/build/pages.mjs'])(
    'are not, once %s has changed',
    (path) => {
      write(path, 'changed');
      expect([take(), readdirSync(root).includes('new')]).toEqual([false, false]);
    },
  );

  it('are not, once a file is gone', () => {
    rmSync(join(root, 'kit/row.ts'));
    expect(take()).toBe(false);
  });
});

test('lines of a source map: a place of the bundle is a line of a source', () => {
  // two lines; the second begins in the second source
  const map = { sources: ['../a.ts', '../b.ts'], mappings: 'AAAA,IACA;ACEA' };
  expect(linesOf(map, join(root, 'dist/bundle.cjs.map'), root)).toEqual({
    sources: ['a.ts', 'b.ts'],
    lines: [
      [0, 0, 1, 4, 0, 2],
      [0, 1, 4],
    ],
  });
});

describe('the build that stands', () => {
  const dist = join(__dirname, '../../dist');

  it('has code of its bundles that this Node takes', () => {
    const { id } = JSON.parse(readFileSync(join(dist, '.build.json'), 'utf8')) as { id: string };
    const script = `
      const { loaded } = await import('${join(dist, id, 'scripts/bundle-loader.js')}');
      for (const name of ['check', 'rule', 'commands']) await import('${join(dist, id, 'cli')}/' + name + '.js');
      const told = [...loaded].map(([name, { cachedDataRejected }]) => [name.split('/').at(-1), cachedDataRejected]);
      console.log(JSON.stringify(told));
      process.exit(0);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual([
      ['check', false],
      ['rule', false],
      ['commands', false],
    ]);
  });
});
