import { useEffect } from 'preact/hooks';
import { hrefOf } from '../address.js';
import { countText } from '../format.js';
import { DataTree } from '../parts/data-tree.js';
import { Panel } from '../parts/panel.js';
import { Answer, Partial } from '../parts/states.js';
import { Facts, Middle, Moment, OuterLink, SeverityMark, StateMark } from '../parts/text.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import { targetOf, type FindingView } from './detail.js';
import { Controls, Related, Remediation } from './detail-parts.js';
import { viewOf, type Target } from './finding.js';
import { Timeline } from './timeline.js';

/** What one does with a finding. */
export type Doing = 'status' | 'assign' | 'suppress';

interface FindingPanelProps {
  readonly finding: Pick<Target, 'engine' | 'finding_id'>;
  /** Changes whenever the finding was changed here. */
  readonly turn: number;
  readonly takesFocus: boolean;
  readonly close: () => void;
  readonly begin: (doing: Doing, target: Target) => void;
  /** Is told what it is about as soon as that is known. */
  readonly known: (target: Target) => void;
}

const BUTTONS: readonly (readonly [doing: Doing, words: string, key: string])[] = [
  ['status', 'Status', 's'],
  ['assign', 'Assign', 'a'],
  ['suppress', 'Suppress', 'e'],
];

function Head({ view, begin }: { readonly view: FindingView; readonly begin: FindingPanelProps['begin'] }) {
  const { header } = view;
  return (
    <>
      <h2>{header.title}</h2>
      <p class="marks">
        <SeverityMark severity={header.severity} /> <StateMark state={header.status} /> <span>Risk {countText(header.riskScore)}</span>
      </p>
      {can('scans:create') ? (
        <div class="buttons">
          {BUTTONS.map(([doing, words, key]) => (
            <button key={doing} type="button" onClick={() => begin(doing, targetOf(view))}>
              {words} <kbd aria-hidden="true">{key}</kbd>
            </button>
          ))}
        </div>
      ) : (
        <p class="soft">Your role reads findings; changing them takes scans:create.</p>
      )}
      <Facts
        of={[
          [
            'Resource',
            <a href={hrefOf(['assets', header.resourceUid])}>
              <Middle text={header.resourceName ?? header.resourceUid} most={56} />
            </a>,
          ],
          ['Type', header.resourceType],
          ['Where', [header.provider, header.accountId, header.region].filter(Boolean).join(' · ')],
          ['Assignee', header.assignee],
          ['Due', header.dueAt && <Moment time={header.dueAt} />],
          ['First seen', <Moment time={header.firstSeenAt} />],
          ['Last seen', <Moment time={header.lastSeenAt} />],
          ['Came back', header.regressedAt && <Moment time={header.regressedAt} />],
          ['Rule', <a href={hrefOf(['findings'], { rule_id: header.ruleId })}>{header.ruleId}</a>],
          ['Engine', header.engine],
          ['Path', header.engine === 'attack-path' && <a href={hrefOf(['paths', header.findingId])}>Its steps, drawn</a>],
          [
            'Run',
            <a href={hrefOf(['scans', header.scanRunId])}>
              <Middle text={header.scanRunId} most={32} />
            </a>,
          ],
          ['ATT&CK', header.mitreTechniques.join(', ')],
          ['Ticket', header.ticketUrl && <OuterLink url={header.ticketUrl} title={header.ticketId} />],
        ]}
      />
    </>
  );
}

/** One finding with everything that is known of it. */
export function FindingPanel({ finding, turn, takesFocus, close, begin, known }: FindingPanelProps) {
  const path = viewOf(finding);
  const asked = useAsk<FindingView>(path, turn);
  useEffect(() => {
    if (asked.body) known(targetOf(asked.body));
  }, [asked.body]);
  return (
    <Panel label="the finding" close={close} takesFocus={takesFocus}>
      <Answer asked={asked} what="the finding" rows={8}>
        {(view) => (
          <>
            <Head view={view} begin={begin} />
            <Partial degraded={view.degradedEngines} restricted={view.restrictedEngines} />
            {(view.header.description ?? view.header.rationale) && (
              <section>
                <h3>What is wrong</h3>
                {view.header.description && <p class="text">{view.header.description}</p>}
                {view.header.rationale && view.header.rationale !== view.header.description && <p class="text">{view.header.rationale}</p>}
              </section>
            )}
            <section>
              <h3>How to fix it</h3>
              <Remediation remediation={view.remediation} />
            </section>
            <section>
              <h3>Evidence</h3>
              <DataTree value={view.header.findingData} />
            </section>
            <section>
              <h3>Timeline</h3>
              {/* what is half written is about this finding, and stays with it */}
              <Timeline key={path} path={path} turn={turn} />
            </section>
            <section>
              <h3>Compliance</h3>
              <Controls compliance={view.compliance} />
            </section>
            <section>
              <h3>On the same resource</h3>
              <Related related={view.relatedFindings} />
            </section>
          </>
        )}
      </Answer>
    </Panel>
  );
}
