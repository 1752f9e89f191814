import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { environmentSchema, SECRET_SETTINGS } from '../../kit/base/config.js';

const ROOT = join(__dirname, '../..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const readme = read('README.md');

it('docs/configuration.md names every setting, with its description', () => {
  const table = read('docs/configuration.md');
  const rows = new Map([...table.matchAll(/^\| `([A-Z_]+)` \| [^|]* \| (.*) \|$/gm)].map(([, name, description]) => [name, description]));
  expect([...rows.keys()].sort()).toEqual(Object.keys(environmentSchema.shape).sort());
  for (const [name, field] of Object.entries(environmentSchema.shape)) expect([name, rows.get(name)]).toEqual([name, field.description]);
});

it('docs/configuration.md names the settings that may be read from a file', () => {
  const [, sentence] = /^## Secrets from files\n\n([^]*?) may be kept in a file/m.exec(read('docs/configuration.md'))!;
  expect([...sentence!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name).sort()).toEqual([...SECRET_SETTINGS].sort());
});

it('every link from one page to another leads somewhere', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter(
    (name) => name.endsWith('.md'),
  );
  const anchor = (title: string) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s:]+)\)/g)].flatMap(([, target]) => {
      const [file, section] = target!.split('#');
      const path = file === '' ? page : join(dirname(page), file!);
      if (!existsSync(join(ROOT, path))) return [`${page}: ${target}`];
      const sections = section === undefined ? [] : [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, title]) => anchor(title!));
      return section === undefined || sections.includes(section) ? [] : [`${page}: ${target}`];
    }),
  );
  expect(broken).toEqual([]);
});

it('the README names the licence of @apollo/gateway', () => {
  expect(readme).toMatch(/@apollo\/gateway[^.]*Elastic License 2\.0/);
});
