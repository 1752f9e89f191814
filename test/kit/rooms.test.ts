import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUTSIDE, ROOMS } from '../../rooms.js';

const root = join(__dirname, '../..');
const targetsOf = (room: string): string[] =>
  (ROOMS[room] ?? ROOMS['subgraphs/*'])!.flatMap((target) =>
    target.endsWith('/*') ? Object.keys(ROOMS).filter((one) => one !== room && one.startsWith(target.slice(0, -1))) : [target],
  );

/** A way from `room` back to itself, or null. */
function circleThrough(room: string): string[] | null {
  const seen = new Set<string>();
  const walk = (path: string[]): string[] | null => {
    for (const next of targetsOf(path.at(-1)!)) {
      if (next === room) return [...path, next];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = walk([...path, next]);
      if (found) return found;
    }
    return null;
  };
  return walk([room]);
}

test('no room can be reached from itself', () => {
  expect(Object.keys(ROOMS).map(circleThrough).filter(Boolean)).toEqual([]);
});

test('a room names only rooms', () => {
  const isRoom = (target: string) =>
    Object.keys(ROOMS).some(
      (room) =>
        room === target || room === target.replace(/[^/]+$/, '*') || (target.endsWith('/*') && room.startsWith(target.slice(0, -1))),
    );
  expect(
    Object.values(ROOMS)
      .flat()
      .filter((target) => !isRoom(target)),
  ).toEqual([]);
});

test('every folder at the top is a room, or stands outside', () => {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && !entry.name.startsWith('.') && !['node_modules', 'dist', 'coverage', 'docs'].includes(entry.name),
    )
    .map(({ name }) => name);
  const named = new Set([...Object.keys(ROOMS).map((room) => room.split('/')[0]), ...OUTSIDE]);
  expect(folders.filter((name) => !named.has(name))).toEqual([]);
});

test('docs/architecture.md shows the rooms and arrows that the linter holds', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const table = page.slice(page.indexOf('<!-- rooms -->'), page.indexOf('<!-- /rooms -->'));
  const shown = [...table.matchAll(/^\| `([^`]+)` *\| *([^|]+?) *\| *([^|]+?) *\|$/gm)].map(([, room, what, imports]) => {
    expect(what!.length).toBeGreaterThan(10);
    return [room, [...imports!.matchAll(/`([^`]+)`/g)].map(([, name]) => name)];
  });
  expect(shown).toEqual(Object.entries(ROOMS));
});
