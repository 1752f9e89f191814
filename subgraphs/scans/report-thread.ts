// The thread that reads the report of one run: its bytes become observations and assets while the process answers requests, and it can be ended.
import { serveThread } from '../../kit/work/thread-side.js';
import { ReportReader, type ItemBatch, type ReadingInput } from './report-items.js';

let reader: ReportReader | undefined;

serveThread<ReadingInput, 'next', ItemBatch>((input) => {
  // a run that was given up may have left its report open
  void reader?.close().catch(() => {});
  const own = new ReportReader(input);
  reader = own;
  return { opened: null, ask: () => own.next() };
});
