import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { enroll, report } from '../../cli/agent-client.js';
import { makeToken } from '../support/agents.js';
import { needing } from '../support/shared.js';
import { openWorld, type Client, type World } from '../support/world.js';

/** Debian's OpenSCAP with a benchmark of the Security Guide, and Debian's Lynis, on a machine that has them. */
const found = (path: string): string | undefined => (existsSync(path) ? path : undefined);
const OSCAP = found('/usr/bin/oscap');
const GUIDES = '/usr/share/xml/scap/ssg/content';
const GUIDE = found(GUIDES) && readdirSync(GUIDES).find((name) => /^ssg-debian\d+-ds\.xml$/.test(name));
const LYNIS = found('/usr/sbin/lynis') ?? found('/usr/bin/lynis');
const run = promisify(execFile);

let world: World;
let admin: Client;
let state: string;
beforeAll(async () => {
  world = await openWorld();
  admin = await (await world.tenant()).as('org_admin');
  state = mkdtempSync(join(tmpdir(), 'palisade-agent-'));
  await enroll(state, world.url, await makeToken(admin), hostname());
});
afterAll(() => world.close());

/** Sends a file as an agent does, and waits for its run. */
async function sent(file: string) {
  const said = await report(state, file, '', undefined);
  const finished = await admin.finished(said.split(' ')[1]!);
  const { body } = await admin.call<{ total: number }>(`/api/v1/agent/findings?status=OPEN`);
  return { ...finished, open: body.total };
}

needing(OSCAP && GUIDE).it(
  'takes what OpenSCAP of Debian says of this machine (skipped without openscap-scanner and ssg-debian)',
  async () => {
    const [guide, results] = [join(state, 'guide.xml'), join(state, 'results.xml')];
    // a guide of another Debian than the machine's says of every rule that it does not apply
    const text = readFileSync(join(GUIDES, GUIDE!), 'utf8').replace(/<xccdf-1\.2:platform idref="cpe:\/o:debian[^>]*>/g, '');
    writeFileSync(guide, text);
    const profile = 'xccdf_org.ssgproject.content_profile_standard';
    // it ends with 2 where a rule fails
    await run(OSCAP!, ['xccdf', 'eval', '--profile', profile, '--results', results, guide]).catch(({ code }: { code: number }) =>
      expect(code).toBe(2),
    );
    const taken = await sent(results);
    expect([taken.state, taken.format, taken.errors]).toEqual(['COMPLETED', 'xccdf', []]);
    expect(taken.counts.records).toBeGreaterThan(5);
  },
  300_000,
);

needing(LYNIS).it(
  'takes what Lynis of Debian says of this machine (skipped without lynis)',
  async () => {
    const file = join(state, 'lynis-report.dat');
    const logs = ['--report-file', file, '--logfile', join(state, 'lynis.log')];
    await run(LYNIS!, ['audit', 'system', '--quick', '--no-colors', '--tests-from-group', 'authentication shells kernel', ...logs]).catch(
      () => expect(existsSync(file)).toBe(true),
    );
    const taken = await sent(file);
    expect([taken.state, taken.format, taken.errors]).toEqual(['COMPLETED', 'lynis', []]);
    expect(taken.open).toBeGreaterThan(0);
  },
  300_000,
);
