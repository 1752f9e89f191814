import { execFileSync } from 'node:child_process';
import { Progress } from '../../cli/check/progress.js';
import { NAMES } from '../../cli/commands.js';
import { STANDALONE } from '../../cli/standalone.js';
import { runCommand } from '../support/process.js';
import { needing } from '../support/shared.js';

jest.setTimeout(300_000);

describe('palisade completion', () => {
  /** What bash offers for the last of these words. */
  const offered = (script: string, ...words: string[]): string[] =>
    execFileSync(
      'bash',
      ['-c', 'eval "$SCRIPT"; COMP_WORDS=(palisade "$@"); COMP_CWORD=$#; _palisade; printf "%s\\n" "${COMPREPLY[@]}"', 'bash', ...words],
      { env: { ...process.env, SCRIPT: script }, encoding: 'utf8' },
    )
      .trim()
      .split('\n')
      .filter((word) => word !== '');

  it('of bash offers commands, options of check and their values', async () => {
    const { stdout, code } = await runCommand(['completion', 'bash']);
    expect(code).toBe(0);
    expect(offered(stdout, '')).toEqual([...NAMES, ...Object.keys(STANDALONE), 'help'].sort());
    expect(offered(stdout, 'ch')).toEqual(['check']);
    expect(offered(stdout, 'check', '--write')).toEqual(['--write-baseline']);
    expect(offered(stdout, 'check', '--format', 's')).toEqual(['sarif']);
    expect(offered(stdout, 'check', '.', '--profile', 'cis-')).toEqual(['cis-1', 'cis-2']);
    // files are left to the shell
    expect(offered(stdout, 'check', 'infra')).toEqual([]);
    expect(offered(stdout, 'rule', '')).toEqual(['show']);
  });

  it('help names every command', async () => {
    const { stdout } = await runCommand(['help']);
    expect([...NAMES, ...Object.keys(STANDALONE)].filter((name) => !new RegExp(`^palisade .*\\b${name}\\b`, 'm').test(stdout))).toEqual([]);
  });

  for (const shell of ['zsh', 'fish'])
    needing(installed(shell)).it(`of ${shell} is read by it`, async () => {
      const { stdout } = await runCommand(['completion', shell]);
      expect(() => execFileSync(shell, ['-n', '/dev/stdin'], { input: stdout })).not.toThrow();
    });

  it('wants a shell that it knows', async () => {
    const { code, stderr } = await runCommand(['completion', 'tcsh']);
    expect([code, stderr.split('\n')[0]]).toEqual([2, 'palisade completion: name a shell: bash, zsh, fish']);
  });
});

function installed(command: string): string | undefined {
  try {
    execFileSync(command, ['-c', 'true'], { stdio: 'ignore' });
    return command;
  } catch {
    return undefined;
  }
}

describe('the progress of a check', () => {
  function shown(isTTY: boolean, isWanted: boolean, ...moments: number[]): string[] {
    const written: string[] = [];
    let now = 0;
    const progress = new Progress({ isTTY, write: (text: string) => written.push(text) }, isWanted, () => now);
    for (const moment of moments) {
      now = moment;
      progress.show(`at ${moment}`);
    }
    progress.end();
    return written.map((text) => text.replace('\r\u001b[K', ''));
  }

  it('stands on a terminal after a second, and is gone at the end', () => {
    expect(shown(true, true, 10, 999, 1_000, 1_100, 1_250)).toEqual(['at 1000', 'at 1250', '']);
  });

  it('is not there for a quick check, in a file, or where nobody wants it', () => {
    expect([shown(true, true, 10, 900), shown(false, true, 2_000), shown(true, false, 2_000)]).toEqual([[], [], []]);
  });

  it('is one line of what can be seen, whatever the names of files hold', () => {
    const written: string[] = [];
    let now = 0;
    const progress = new Progress({ isTTY: true, columns: 20, write: (text: string) => written.push(text) }, true, () => (now += 2_000));
    progress.show('1 resources, a\u001b[31m\nb\u0007.tf and more than fits');
    expect(written).toEqual(['\r\u001b[K1 resources, a?b?.t']);
  });
});
