import type { FindingStatus, Severity } from '../../../schema/model.js';
import { hrefOf } from '../address.js';
import { findingHref, keyOf } from '../findings/finding.js';
import { countText } from '../format.js';
import { ShortTable } from '../parts/columns.js';
import { PageHead } from '../parts/page-head.js';
import { Section } from '../parts/section.js';
import { Answer, Partial } from '../parts/states.js';
import { Facts, Middle, Moment, SeverityMark, StateMark } from '../parts/text.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import { Attest } from './attest.js';
import { frameworkPath, type Control } from './framework.js';

interface ControlDetail extends Control {
  readonly rules: readonly { readonly rule_id: string; readonly passed: number; readonly failed: number }[];
  readonly failing_findings: readonly {
    readonly engine: string;
    readonly finding_id: string;
    readonly title: string;
    readonly severity: Severity;
    readonly status: FindingStatus;
    readonly resource_uid: string;
    readonly resource_name: string | null;
  }[];
  readonly failing_total: number;
  readonly degradedEngines: readonly string[];
  readonly restrictedEngines: readonly string[];
}

/** What a person has said of it, and the way to say something where no rule does. */
function Word({ control, framework, reload }: { readonly control: Control; readonly framework: string; readonly reload: () => void }) {
  const { attestation, control_id, rule_count } = control;
  const mayAttest = rule_count === 0 && can('reports:write');
  if (!attestation && !mayAttest) return null;
  return (
    <Section title="Attestation">
      {attestation ? (
        <Facts
          of={[
            ['Says', <StateMark state={attestation.status} />],
            ['Evidence', attestation.evidence],
            ['By', attestation.author],
            ['When', <Moment time={attestation.created_at} />],
            [attestation.expired ? 'Expired' : 'Until', <Moment time={attestation.expires_at} />],
          ]}
        />
      ) : (
        <p class="soft">No rule assesses it, and nobody has said anything of it.</p>
      )}
      {mayAttest && <Attest framework={framework} control={control_id} done={reload} />}
    </Section>
  );
}

/** One control: whether it passes, by which rules, and what makes it fail. */
export function ControlView({ framework, id }: { readonly framework: string; readonly id: string }) {
  const asked = useAsk<ControlDetail>(`${frameworkPath(framework)}/controls/${encodeURIComponent(id)}`);
  return (
    <div class="page">
      <PageHead
        title={asked.body ? `${id} ${asked.body.title}` : id}
        under={[
          { href: hrefOf(['compliance']), text: 'Compliance' },
          { href: hrefOf(['compliance', framework]), text: framework },
        ]}
      />
      <Answer asked={asked} what="the control">
        {(control) => (
          <>
            <p class="marks">
              <StateMark state={control.status} /> <span class="soft">{control.section}</span>
            </p>
            {control.not_assessed_because && <p>{control.not_assessed_because}</p>}
            <Partial degraded={control.degradedEngines} restricted={control.restrictedEngines} />
            <div class="cards">
              <Section
                title={`Failing findings (${countText(control.failing_total)})`}
                more={{ href: hrefOf(['findings'], { framework, control: id }), text: 'All findings of it' }}
              >
                <ShortTable
                  label="Failing findings"
                  rows={control.failing_findings}
                  keyOf={keyOf}
                  columns={[
                    { id: 'severity', title: 'Severity', width: 92, cell: ({ severity }) => <SeverityMark severity={severity} /> },
                    {
                      id: 'title',
                      title: 'Finding',
                      cell: (finding) => <a href={findingHref(finding)}>{finding.title}</a>,
                    },
                    {
                      id: 'resource',
                      title: 'Resource',
                      width: 180,
                      when: 'wide',
                      cell: ({ resource_uid, resource_name }) => <Middle text={resource_name ?? resource_uid} most={24} />,
                    },
                  ]}
                  empty={<p class="soft">No finding makes it fail.</p>}
                />
              </Section>
              <Section title="Rules">
                <ShortTable
                  label="Rules of the control"
                  rows={control.rules}
                  keyOf={({ rule_id }) => rule_id}
                  columns={[
                    { id: 'rule', title: 'Rule', cell: ({ rule_id }) => <a href={hrefOf(['findings'], { rule_id })}>{rule_id}</a> },
                    { id: 'failed', title: 'Failed', width: 70, align: 'end', cell: ({ failed }) => countText(failed) },
                    { id: 'passed', title: 'Passed', width: 70, align: 'end', cell: ({ passed }) => countText(passed) },
                  ]}
                  empty={<p class="soft">No rule of the catalog is mapped to it.</p>}
                />
              </Section>
              <Word control={control} framework={framework} reload={asked.reload} />
            </div>
          </>
        )}
      </Answer>
    </div>
  );
}
