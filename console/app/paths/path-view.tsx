import { hrefOf, valueOf } from '../address.js';
import { findingHref } from '../findings/finding.js';
import { counted, countText, percentText } from '../format.js';
import { PageHead } from '../parts/page-head.js';
import { Section } from '../parts/section.js';
import { Answer, Partial } from '../parts/states.js';
import { Facts, Moment, SeverityMark, StateMark } from '../parts/text.js';
import { address, goWith } from '../place.js';
import { useAsk } from '../use-ask.js';
import { entryWord, type AttackPathDetail, type PathStep } from './path.js';
import { PathGraph } from './path-graph.js';

const FindingLink = ({
  engine,
  finding_id,
  text,
}: {
  readonly engine: string;
  readonly finding_id: string | null;
  readonly text: string;
}) => (finding_id ? <a href={findingHref({ engine, finding_id })}>{text}</a> : <>{text}</>);

function Step({ step, number, of }: { readonly step: PathStep; readonly number: number; readonly of: number }) {
  if (step.masked)
    return (
      <Section title={`Step ${number} of ${of}`}>
        <p class="soft">It rests on engines that are not yours to read.</p>
      </Section>
    );
  return (
    <Section title={`Step ${number} of ${of}: ${step.label}`}>
      <Facts
        of={[
          ['Likelihood', percentText(step.probability)],
          ['What is done', step.abuse],
          ['How it is noticed', step.notice],
          ['How it is cut', step.fix],
          ['Effort', step.effort],
          ['ATT&CK', step.techniques.join(', ')],
        ]}
      />
      {step.conditions.length > 0 && <h3>What makes it possible</h3>}
      <ul class="plain">
        {step.conditions.map(({ text, engine, finding_id }) => (
          <li key={text}>
            <FindingLink engine={engine} finding_id={finding_id} text={text} /> <small>{engine}</small>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Fix({ detail }: { readonly detail: AttackPathDetail }) {
  const { cheapest_fix: fix, steps } = detail;
  if (!fix) return <p class="soft">No fix is known.</p>;
  const engine = steps[fix.step]?.conditions.find(({ finding_id }) => finding_id === fix.finding_id)?.engine;
  return (
    <>
      <p class="text">{fix.action}</p>
      <p>
        At step {fix.step + 1}. It breaks {counted(fix.breaks.length, 'path')}
        {fix.reroutes.length > 0 && `, and ${counted(fix.reroutes.length, 'path')} would go another way`}.{' '}
        {fix.finding_id && engine && <FindingLink engine={engine} finding_id={fix.finding_id} text="The finding to fix" />}
      </p>
    </>
  );
}

/** One attack path: drawn, told step by step, and how it is cut. */
export function PathView({ id }: { readonly id: string }) {
  const asked = useAsk<AttackPathDetail>(`/api/v1/attack-paths/${encodeURIComponent(id)}`);
  const chosen = Number(valueOf(address.value.query, 'step') ?? 1) - 1;
  const path = asked.body?.path;
  return (
    <div class="page">
      <PageHead
        title={path ? `${entryWord(path.entry)} → ${path.target_name ?? path.target}` : 'Attack path'}
        under={[{ href: hrefOf(['paths']), text: 'Attack paths' }]}
      />
      <Answer asked={asked} what="the attack path">
        {(detail) => {
          const step = detail.steps[chosen] ?? detail.steps[0];
          const number = step ? detail.steps.indexOf(step) : 0;
          return (
            <>
              <p class="marks">
                <SeverityMark severity={detail.path.severity} />
                {detail.path.status && <StateMark state={detail.path.status} />}
                <span>Risk {countText(detail.path.risk_score)}</span>
                <span>Likelihood {percentText(detail.path.likelihood)}</span>
                <span class="soft">
                  seen first <Moment time={detail.path.first_seen_at} />
                </span>
              </p>
              <Partial restricted={detail.path.restrictedEngines} />
              <PathGraph detail={detail} step={number} choose={(index) => goWith({ step: String(index + 1) }, 'replace')} />
              <div class="cards">
                <Section title="Cheapest fix">
                  <Fix detail={detail} />
                </Section>
                <Section title="What is at stake">
                  <Facts
                    of={[
                      ['Crown jewel', <a href={hrefOf(['assets', detail.path.target])}>{detail.path.target_name ?? detail.path.target}</a>],
                      ['Tier', detail.path.tier],
                      ['Why', detail.path.target_reason],
                      ['Also within reach', detail.path.also_reaches > 0 && counted(detail.path.also_reaches, 'more jewel')],
                      ['CVEs', detail.path.cves.join(', ')],
                    ]}
                  />
                </Section>
                {step && <Step step={step} number={number + 1} of={detail.steps.length} />}
              </div>
            </>
          );
        }}
      </Answer>
    </div>
  );
}
