import { useState } from 'preact/hooks';
import { valueOf } from '../address.js';
import { refusalFor, send } from '../api.js';
import type { Job } from '../jobs.js';
import { tellProblem } from '../notices.js';
import { address, goWith } from '../place.js';
import { can } from '../session.js';
import { JobBar } from './job-bar.js';
import { Menu } from './menu.js';

interface ExportMenuProps {
  /** What is exported, as `POST /exports` takes it: `{ findings: <filter> }`. */
  readonly of: Readonly<Record<string, unknown>>;
  readonly formats: readonly string[];
}

const WORDS: Readonly<Record<string, string>> = {
  csv: 'CSV',
  json: 'JSON',
  jsonl: 'JSON lines',
  xlsx: 'Excel',
  ocsf: 'OCSF',
  sarif: 'SARIF',
  vex: 'VEX',
  oscal: 'OSCAL',
};

/** Asks for a file of what the list shows. */
export function ExportMenu({ of, formats }: ExportMenuProps) {
  const [isBusy, setBusy] = useState(false);
  if (!can('reports:write')) return null;
  const start = async (format: string) => {
    setBusy(true);
    try {
      const { job_id } = await send<Job>('POST', '/api/v1/exports', { format, ...of });
      goWith({ export: job_id });
    } catch (problem) {
      tellProblem(`No file is made: ${refusalFor(problem).message}.`);
    }
    setBusy(false);
  };
  return (
    <Menu label="Export">
      {formats.map((format) => (
        <button
          key={format}
          type="button"
          class="quiet row"
          disabled={isBusy}
          onClick={(event) => {
            event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
            void start(format);
          }}
        >
          {WORDS[format] ?? format}
        </button>
      ))}
    </Menu>
  );
}

/** The file that was asked for last: how far it is, and the way to it. */
export function ExportBar() {
  const id = valueOf(address.value.query, 'export');
  if (id === null) return null;
  return (
    <JobBar
      key={id}
      id={id}
      label="Rows written"
      over={() => undefined}
      close={() => goWith({ export: null })}
      result={({ result_url }) =>
        result_url && (
          <a href={result_url} download>
            Download the file
          </a>
        )
      }
    />
  );
}
