import { useRef, useState } from 'preact/hooks';
import { hrefOf } from '../address.js';
import type { Refusal } from '../api.js';
import { countText, percentText } from '../format.js';
import { StateMark } from '../parts/text.js';
import { refusalFor, useAsk } from '../use-ask.js';
import type { ScanRun } from './run.js';
import { upload } from './upload.js';
import { useLiveRun } from './use-live-run.js';

interface Sent {
  readonly id: number;
  readonly name: string;
  readonly share: number;
  readonly run: ScanRun | null;
  readonly error: Refusal | null;
}

const detailIn = ({ detail }: Refusal): string =>
  Array.isArray(detail) ? (detail as { message?: string }[]).map(({ message }) => message ?? '').join('; ') : '';

/** One file on its way, and then its run. */
function SentFile({ sent, over }: { readonly sent: Sent; readonly over: () => void }) {
  const { name, share, run, error } = sent;
  const event = useLiveRun(run, over);
  const counts = event?.counts ?? run?.counts;
  return (
    <li>
      <b>{name}</b>{' '}
      {error && (
        <span class="problem" role="alert">
          {error.message}. {detailIn(error)}
        </span>
      )}
      {!error && !run && (
        <>
          <progress value={share} max={1} aria-label={`Sending ${name}`} /> {percentText(share)}
        </>
      )}
      {run && (
        <>
          <StateMark state={event?.state ?? run.state} />{' '}
          <a href={hrefOf(['scans', run.scan_run_id])}>{countText(counts?.records)} records</a>, {countText(counts?.new)} new findings
        </>
      )}
    </li>
  );
}

interface ImportFormat {
  readonly format: string;
  readonly title: string;
}

let sentSoFar = 0;

/** Takes reports by drop or by choice, and shows what becomes of them. */
export function ImportArea({ arrived }: { readonly arrived: () => void }) {
  const [files, setFiles] = useState<readonly Sent[]>([]);
  const [isOver, setOver] = useState(false);
  const [format, setFormat] = useState('');
  const [account, setAccount] = useState('');
  const choose = useRef<HTMLInputElement>(null);
  const formats = useAsk<readonly ImportFormat[]>('/api/v1/scans/import-formats');
  const change = (id: number, change: Partial<Sent>) =>
    setFiles((before) => before.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const take = async (list: FileList | null | undefined) => {
    // one after the other: the server reads each whole
    for (const file of list ?? []) {
      const id = ++sentSoFar;
      setFiles((before) => [...before, { id, name: file.name, share: 0, run: null, error: null }]);
      try {
        const run = await upload(file, { format, account_id: account.trim() }, (share) => change(id, { share }));
        change(id, { run });
        arrived();
      } catch (problem) {
        change(id, { error: refusalFor(problem) });
      }
    }
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <div
      class={isOver ? 'import over' : 'import'}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer?.files);
      }}
    >
      <div class="fields">
        <p>
          Drop reports here, or{' '}
          <button type="button" onClick={() => choose.current?.click()}>
            Choose files
          </button>
        </p>
        <input
          ref={choose}
          type="file"
          multiple
          hidden
          aria-label="Reports"
          onChange={(event) => {
            void take(event.currentTarget.files);
            event.currentTarget.value = '';
          }}
        />
        <label>
          Format
          <select value={format} onChange={(event) => setFormat(event.currentTarget.value)}>
            <option value="">Recognise it</option>
            {formats.body?.map((one) => (
              <option key={one.format} value={one.format}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Account
          <input value={account} placeholder="as the report says" onInput={(event) => setAccount(event.currentTarget.value)} />
        </label>
      </div>
      {files.length > 0 && (
        <ul class="sent" aria-live="polite">
          {files.map((sent) => (
            <SentFile key={sent.id} sent={sent} over={arrived} />
          ))}
        </ul>
      )}
    </div>
  );
}
