import { hrefOf } from '../address.js';
import type { Asset } from '../assets/asset.js';
import { frameworkTitle, type Framework } from '../compliance/framework.js';
import { ScoreBar } from '../compliance/score-bar.js';
import { OPEN_STATUSES } from '../findings/filters.js';
import { countText } from '../format.js';
import { ShortTable } from '../parts/columns.js';
import { Answer, Empty } from '../parts/states.js';
import { CountLink, Middle, Moment, SeverityMark, StateMark } from '../parts/text.js';
import { entryWord, type AttackPath } from '../paths/path.js';
import type { ScanRun } from '../scans/run.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import type { Page } from '../paged-list.js';

const FEW = 6;

/** The assets whose open findings weigh most. */
export function RiskyAssets() {
  const assets = useAsk<Page<Asset>>(can('inventory:read') ? `/api/v1/inventory/assets?sort=-risk&page_size=${FEW}` : null);
  return (
    <Answer asked={assets} what="assets" needs="inventory:read">
      {({ items }) => (
        <ShortTable
          label="Assets at the highest risk"
          rows={items}
          keyOf={(asset) => asset.resource_uid}
          columns={[
            {
              id: 'name',
              title: 'Asset',
              cell: (asset) => (
                <a href={hrefOf(['assets', asset.resource_uid])}>
                  <Middle text={asset.resource_name ?? asset.resource_uid} most={36} />
                </a>
              ),
            },
            { id: 'type', title: 'Type', when: 'wide', cell: (asset) => <Middle text={asset.resource_type} most={24} /> },
            { id: 'risk', title: 'Risk', width: 56, align: 'end', cell: (asset) => countText(asset.risk.max) },
            {
              id: 'open',
              title: 'Open',
              width: 64,
              align: 'end',
              cell: (asset) => (
                <CountLink
                  count={asset.open_findings.total}
                  href={hrefOf(['findings'], { resource_uid: asset.resource_uid, status: OPEN_STATUSES })}
                />
              ),
            },
          ]}
          empty={
            <Empty>
              <p>No asset is known yet: inventories and most reports bring some.</p>
            </Empty>
          }
        />
      )}
    </Answer>
  );
}

/** The likeliest ways to what matters most. */
export function PathsToJewels() {
  const paths = useAsk<Page<AttackPath>>(can('threat:read') ? `/api/v1/attack-paths?page_size=${FEW}` : null);
  return (
    <Answer asked={paths} what="attack paths" needs="threat:read">
      {({ items, total }) => (
        <>
          {total > 0 && (
            <p>
              <a href={hrefOf(['paths'])} class="big">
                {countText(total)}
              </a>{' '}
              {total === 1 ? 'path' : 'paths'}
            </p>
          )}
          <ShortTable
            label="Attack paths, worst first"
            rows={items}
            keyOf={(path) => path.path_id}
            columns={[
              { id: 'severity', title: 'Severity', width: 92, cell: (path) => <SeverityMark severity={path.severity} /> },
              {
                id: 'path',
                title: 'Path',
                cell: (path) => (
                  <a href={hrefOf(['paths', path.path_id])}>
                    {entryWord(path.entry)} → <Middle text={path.target_name ?? path.target} most={28} />
                  </a>
                ),
              },
              { id: 'steps', title: 'Steps', width: 56, align: 'end', cell: (path) => countText(path.length) },
            ]}
            empty={
              <Empty>
                <p>No path leads from the internet to a crown jewel, as far as is known.</p>
              </Empty>
            }
          />
        </>
      )}
    </Answer>
  );
}

/** The frameworks of which most was assessed. */
export function Compliance() {
  const frameworks = useAsk<Page<Framework>>(can('compliance:read') ? '/api/v1/compliance/frameworks?page_size=200' : null);
  return (
    <Answer asked={frameworks} what="compliance" needs="compliance:read">
      {({ items }) => {
        const assessed = items.filter(({ assessed_controls }) => assessed_controls > 0);
        return (
          <ShortTable
            label="Frameworks of which most was assessed"
            rows={assessed.sort((one, other) => other.assessed_controls - one.assessed_controls).slice(0, FEW)}
            keyOf={(framework) => framework.framework_id}
            columns={[
              {
                id: 'name',
                title: 'Framework',
                cell: (framework) => <a href={hrefOf(['compliance', framework.framework_id])}>{frameworkTitle(framework)}</a>,
              },
              { id: 'score', title: 'Score', width: 150, cell: (framework) => <ScoreBar score={framework.score} /> },
            ]}
            empty={
              <Empty>
                <p>No control was assessed yet: that takes resources or results of posture rules.</p>
              </Empty>
            }
          />
        );
      }}
    </Answer>
  );
}

/** What was scanned or imported last. */
export function LatestRuns() {
  const runs = useAsk<Page<ScanRun>>(can('scans:read') ? `/api/v1/scan-runs?page_size=${FEW}` : null);
  return (
    <Answer asked={runs} what="runs" needs="scans:read">
      {({ items }) => (
        <ShortTable
          label="Latest runs"
          rows={items}
          keyOf={(run) => run.scan_run_id}
          columns={[
            {
              id: 'format',
              title: 'Run',
              cell: (run) => <a href={hrefOf(['scans', run.scan_run_id])}>{run.format ?? run.trigger}</a>,
            },
            { id: 'state', title: 'State', width: 110, cell: (run) => <StateMark state={run.state} /> },
            { id: 'new', title: 'New', width: 56, align: 'end', cell: (run) => countText(run.counts.new) },
            { id: 'when', title: 'When', width: 110, when: 'wide', cell: (run) => <Moment time={run.created_at} /> },
          ]}
          empty={
            <Empty>
              <p>
                Nothing ran yet. <a href={hrefOf(['scans'])}>Import a report</a>.
              </p>
            </Empty>
          }
        />
      )}
    </Answer>
  );
}
