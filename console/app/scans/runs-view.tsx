import { hrefOf } from '../address.js';
import { countText } from '../format.js';
import { LongTable } from '../parts/long-table.js';
import { Empty } from '../parts/states.js';
import { Middle, Moment, StateMark } from '../parts/text.js';
import { usePages } from '../use-pages.js';
import { isFinal, type ScanRun } from './run.js';
import { useLiveRun } from './use-live-run.js';

/** Runs, newest first; the newest that still goes on is followed as it goes. Another `turn` reads them anew. */
export function RunsView({ turn }: { readonly turn: number }) {
  const { list, reload } = usePages<ScanRun>('/api/v1/scan-runs', turn);
  const going = [...list.known()].find(([, run]) => !isFinal(run.state))?.[1] ?? null;
  const event = useLiveRun(going, reload);
  const now = (run: ScanRun): Pick<ScanRun, 'state' | 'counts'> => (event && run === going ? event : run);
  return (
    <LongTable
      label="runs"
      list={list}
      keyOf={(run) => run.scan_run_id}
      columns={[
        {
          id: 'run',
          title: 'Run',
          cell: (run) => (
            <a href={hrefOf(['scans', run.scan_run_id])}>
              <Middle text={run.scan_run_id} most={40} />
            </a>
          ),
        },
        { id: 'format', title: 'Format', width: 190, when: 'wide', cell: (run) => run.format ?? run.trigger },
        { id: 'state', title: 'State', width: 120, cell: (run) => <StateMark state={now(run).state} /> },
        { id: 'account', title: 'Account', width: 150, when: 'roomy', cell: (run) => <Middle text={run.account_id ?? '–'} most={18} /> },
        { id: 'records', title: 'Records', width: 80, align: 'end', when: 'roomy', cell: (run) => countText(now(run).counts.records) },
        { id: 'new', title: 'New', width: 60, align: 'end', cell: (run) => countText(now(run).counts.new) },
        { id: 'resolved', title: 'Fixed', width: 60, align: 'end', when: 'wide', cell: (run) => countText(now(run).counts.resolved) },
        { id: 'when', title: 'When', width: 120, when: 'wide', cell: (run) => <Moment time={run.created_at} /> },
      ]}
      empty={
        <Empty>
          <p>
            Nothing ran yet. Drop a report above: what Prowler, Trivy or Checkov write, a Terraform plan, and many others are understood.
          </p>
        </Empty>
      }
    />
  );
}
