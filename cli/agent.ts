import { hostname } from 'node:os';
import { readFileSync } from 'node:fs';
import { baseOf } from './upload.js';
import { command, text, UsageError } from './command-line.js';

const STATE = '/var/lib/palisade-agent';
const USAGE = `palisade agent enroll --server URL [--token-file FILE] [--host NAME] [--state DIR]
palisade agent report FILE... [--format F] [--report-id ID] [--state DIR]
palisade agent unit [--state DIR]
enroll makes a key pair for this host and trades the enrollment token of PALISADE_ENROLLMENT_TOKEN or --token-file, which
POST /api/v1/agent/enrollment-tokens has answered, for an agent. The key stays in --state (${STATE}).
report signs reports and sends them: results of OpenSCAP (XCCDF), Lynis' report.dat and other formats of /api/v1/scans/import-formats that tell of this
host. A report that was sent before is not taken in again.
unit prints a service and a timer of systemd that send a report of Lynis a day.
Exit code 1 when something is refused, 2 for wrong usage.`;

const OPTIONS = { server: text, 'token-file': text, host: text, state: text, format: text, 'report-id': text } as const;

/** The command `palisade agent`. */
export const run = command(USAGE, OPTIONS, async (values, [what, ...files]) => {
  const state = values.state ?? STATE;
  switch (what) {
    case 'enroll': {
      if (!values.server) throw new UsageError('name the --server');
      if (files.length > 0) throw new UsageError('enroll takes no FILE');
      const { enroll } = await import('./agent-client.js');
      return attempt(() => enroll(state, baseOf(values.server!), tokenOf(values['token-file']), values.host ?? hostname()));
    }
    case 'report': {
      if (files.length === 0) throw new UsageError('name a FILE');
      if (values['report-id'] && files.length > 1) throw new UsageError('--report-id goes with one FILE');
      const { report } = await import('./agent-client.js');
      let code = 0;
      for (const file of files) code = Math.max(code, await attempt(() => report(state, file, values.format ?? '', values['report-id'])));
      return code;
    }
    case 'unit':
      process.stdout.write(unit(state));
      return 0;
    default:
      throw new UsageError('say enroll, report or unit');
  }
});

/** Runs what prints one line, and says in one line what was wrong with it. */
async function attempt(work: () => Promise<string>): Promise<number> {
  try {
    process.stdout.write(`${await work()}\n`);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    process.stderr.write(`palisade agent: ${(error as Error).message}\n`);
    return 1;
  }
}

/** A token is a secret: it stands in the environment or in a file, never in an argument (decision 65). */
function tokenOf(file: string | undefined): string {
  const token = (file === undefined ? process.env['PALISADE_ENROLLMENT_TOKEN'] : readFileSync(file, 'utf8'))?.trim();
  if (!token) throw new UsageError('set PALISADE_ENROLLMENT_TOKEN, or name a --token-file');
  return token;
}

/** A service and a timer: Lynis looks at the host once a day, and its report is sent. */
const unit = (state: string): string => `# /etc/systemd/system/palisade-agent.service
[Unit]
Description=Sends a report of this host to Palisade
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
StateDirectory=palisade-agent
UMask=0077
ExecStart=/usr/sbin/lynis audit system --quiet --no-colors --report-file ${state}/lynis-report.dat --logfile /dev/null
ExecStart=${process.execPath} ${process.argv[1] ?? 'palisade'} agent report --state ${state} ${state}/lynis-report.dat
NoNewPrivileges=true

# /etc/systemd/system/palisade-agent.timer
[Unit]
Description=Sends a report of this host to Palisade once a day

[Timer]
OnCalendar=daily
RandomizedDelaySec=2h
Persistent=true

[Install]
WantedBy=timers.target
`;
