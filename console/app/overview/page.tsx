import { SEVERITIES, type Severity } from '../../../schema/model.js';
import { hrefOf } from '../address.js';
import { countText, daysAgo } from '../format.js';
import { OPEN_STATUSES } from '../findings/filters.js';
import { PageHead } from '../parts/page-head.js';
import { Section } from '../parts/section.js';
import { Answer, Empty, Partial } from '../parts/states.js';
import { CountLink, Moment, SeverityMark } from '../parts/text.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import { Compliance, LatestRuns, PathsToJewels, RiskyAssets } from './lists.js';
import { Trend } from './trend.js';
import { Week } from './week.js';

/** `GET /dashboard`. */
interface Dashboard {
  readonly posture_score: number | null;
  readonly severity_counts: Readonly<Record<Severity, number>>;
  readonly total_resources: number | null;
  readonly accounts_connected: number | null;
  readonly last_scan: string | null;
  readonly degradedEngines: readonly string[];
  readonly restrictedEngines: readonly string[];
}

/** The list of what is open in a severity. */
const openOf = (severity: Severity): string => hrefOf(['findings'], { severity: [severity], status: OPEN_STATUSES });

/** How bad it is, from the worst to what is only said: the number, and its share as a bar. */
function Severities({ counts }: { readonly counts: Dashboard['severity_counts'] }) {
  const most = Math.max(1, ...SEVERITIES.map((severity) => counts[severity]));
  return (
    <ul class="severities">
      {SEVERITIES.map((severity) => (
        <li key={severity}>
          <SeverityMark severity={severity} />
          <svg class={`bar-of ${severity}`} aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 8">
            <rect width={(counts[severity] / most) * 100} height="8" />
          </svg>
          <CountLink count={counts[severity]} href={openOf(severity)} label={`${countText(counts[severity])} open ${severity} findings`} />
        </li>
      ))}
    </ul>
  );
}

const Nothing = () => (
  <Empty>
    <p>
      Nothing was imported yet. <a href={hrefOf(['scans'])}>Import a report</a> of a scanner that you have: it takes a minute, and this page
      fills by itself.
    </p>
  </Empty>
);

function Numbers({ dashboard }: { readonly dashboard: Dashboard }) {
  const { posture_score, severity_counts, total_resources, accounts_connected, last_scan, degradedEngines, restrictedEngines } = dashboard;
  if (last_scan === null && posture_score === null) return <Nothing />;
  return (
    <>
      <Partial degraded={degradedEngines} restricted={restrictedEngines} />
      <div class="tiles">
        <div class="tile">
          <h2>Posture score</h2>
          <p>
            <a href={hrefOf(['findings'], { status: OPEN_STATUSES, sort: '-risk_score' })} class="big">
              {countText(posture_score)}
            </a>{' '}
            <small>of 100</small>
          </p>
        </div>
        <div class="tile">
          <h2>Open by severity</h2>
          <Severities counts={severity_counts} />
        </div>
        <Week since={daysAgo(7)} />
        <div class="tile">
          <h2>Covered</h2>
          <p>
            <CountLink count={total_resources} href={hrefOf(['assets'], { sort: '-risk' })} /> resources
          </p>
          <p>
            {can('accounts:read') ? (
              <CountLink count={accounts_connected} href={hrefOf(['scans'], { view: 'accounts' })} />
            ) : (
              countText(accounts_connected)
            )}{' '}
            {accounts_connected === 1 ? 'account' : 'accounts'}
          </p>
          <p class="soft">
            last scan{' '}
            <a href={hrefOf(['scans'])}>
              <Moment time={last_scan} empty="never" />
            </a>
          </p>
        </div>
      </div>
    </>
  );
}

/** How it stands, in one look; every number leads to what it counts. */
export function OverviewPage() {
  const dashboard = useAsk<Dashboard>(can('reports:read') ? '/api/v1/dashboard' : null);
  return (
    <div class="page">
      <PageHead title="Overview" />
      <Answer asked={dashboard} what="the overview" needs="reports:read">
        {(body) => <Numbers dashboard={body} />}
      </Answer>
      <div class="cards">
        <Section title="Trend">
          <Trend />
        </Section>
        <Section title="Paths to crown jewels" more={{ href: hrefOf(['paths']), text: 'All paths' }}>
          <PathsToJewels />
        </Section>
        <Section title="Assets at the highest risk" more={{ href: hrefOf(['assets'], { sort: '-risk' }), text: 'All assets' }}>
          <RiskyAssets />
        </Section>
        <Section title="Compliance" more={{ href: hrefOf(['compliance']), text: 'All frameworks' }}>
          <Compliance />
        </Section>
        <Section title="Latest runs" more={{ href: hrefOf(['scans']), text: 'All runs' }}>
          <LatestRuns />
        </Section>
      </div>
    </div>
  );
}
