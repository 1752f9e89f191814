import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startProcess, type TestProcess } from '../support/process.js';
import { RECORDED_SECRET } from '../support/recorded-report.js';
import { openWorld, type World } from '../support/world.js';

/** Unpacks a recorded data folder. @returns a copy of it in a temporary folder */
export function unpack(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-recorded-'));
  mkdirSync(join(folder, 'store'), { mode: 0o700 });
  const journal = readFileSync(join(__dirname, `../fixtures/${name}/journal-00000001.bin.gz`));
  writeFileSync(join(folder, 'store/journal-00000001.bin'), gunzipSync(journal), { mode: 0o600 });
  return folder;
}

/** Starts the product over a data folder. */
export const startOver = (folder: string): Promise<TestProcess> =>
  startProcess(['--empty', '--data', folder], {
    PALISADE_SECRET: RECORDED_SECRET,
    RATE_LIMITS: 'growth=1000000/1000000',
    LOG_LEVEL: 'error',
  });

/** The world of a server that runs over a data folder. */
export function worldOf(folder: string, server: TestProcess): Promise<World> {
  process.env['PALISADE_TEST_MONGODB_URI'] = readFileSync(join(folder, 'store.uri'), 'utf8');
  process.env['PALISADE_TEST_SECRET'] = RECORDED_SECRET;
  return openWorld('palisade', server.url);
}
