import { useRef, useState } from 'preact/hooks';
import { hrefOf } from '../address.js';
import { refusalFor, type Refusal } from '../api.js';
import { countText, percentText } from '../format.js';
import { StateMark } from '../parts/text.js';
import { useAsk } from '../use-ask.js';
import { isFinal, type ScanRun } from './run.js';
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
function SentFile({ sent }: { readonly sent: Sent }) {
  const { name, share, run, error } = sent;
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
          <StateMark state={run.state} /> <a href={hrefOf(['scans', run.scan_run_id])}>{countText(run.counts.records)} records</a>,{' '}
          {countText(run.counts.new)} new findings
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
  // one at a time: each that is followed takes one of the browser's few connections, and the others tell all when their turn comes
  const followed = files.find(({ run }) => run && !isFinal(run.state))?.run ?? null;
  const event = useLiveRun(followed, ({ state, counts }) => {
    setFiles((before) => before.map((one) => (one.run && one.run === followed ? { ...one, run: { ...one.run, state, counts } } : one)));
    arrived();
  });
  const asOf = (sent: Sent): Sent => (event && sent.run && sent.run === followed ? { ...sent, run: { ...sent.run, ...event } } : sent);
  const change = (id: number, change: Partial<Sent>) =>
    setFiles((before) => before.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const take = async (list: FileList | null | undefined) => {
    // the list is emptied with the field that it came from; one file after the other: the server reads each whole
    for (const file of [...(list ?? [])]) {
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
            <SentFile key={sent.id} sent={asOf(sent)} />
          ))}
        </ul>
      )}
    </div>
  );
}
