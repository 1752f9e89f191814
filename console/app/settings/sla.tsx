import { SEVERITIES, type Severity } from '../../../schema/model.js';
import { hrefOf } from '../address.js';
import { countText } from '../format.js';
import { ShortTable } from '../parts/columns.js';
import { SettingView, type Setting } from '../parts/setting.js';
import { Partial } from '../parts/states.js';
import { CountLink, Moment, SeverityMark } from '../parts/text.js';

/** `GET /sla-policy`. */
interface SlaPolicy {
  readonly windows: Readonly<Record<Severity, number | null>>;
  readonly updated_by: string | null;
  readonly updated_at: string | null;
  readonly applying: boolean;
  readonly breaches: Readonly<Record<Severity, number>>;
  readonly due_soon: Readonly<Record<Severity, number>>;
  readonly restrictedEngines: readonly string[];
}

const SLA: Setting<SlaPolicy> = {
  what: 'the windows for fixes',
  path: '/api/v1/sla-policy',
  writes: 'tenants:write',
  fields: SEVERITIES.map((severity) => ({
    name: `windows.${severity}`,
    label: `Days to fix what is ${severity}`,
    kind: 'number',
    whenEmpty: null,
    hint: 'Empty for no time.',
  })),
  facts: ({ breaches, due_soon, updated_by, updated_at, applying, restrictedEngines }) => (
    <>
      <Partial restricted={restrictedEngines} />
      <ShortTable
        label="Findings in time and not"
        rows={SEVERITIES}
        keyOf={(severity) => severity}
        columns={[
          { id: 'severity', title: 'Severity', cell: (severity) => <SeverityMark severity={severity} /> },
          {
            id: 'overdue',
            title: 'Overdue now',
            width: 110,
            align: 'end',
            cell: (severity) => <CountLink count={breaches[severity]} href={hrefOf(['findings'], { severity, overdue: 'true' })} />,
          },
          { id: 'soon', title: 'Due in 7 days', width: 110, align: 'end', cell: (severity) => countText(due_soon[severity]) },
        ]}
      />
      <p class="soft">
        {updated_by ? (
          <>
            Set by {updated_by} <Moment time={updated_at} />.
          </>
        ) : (
          'The usual windows: nobody has set others.'
        )}{' '}
        {applying && 'Due dates are being set anew.'}
      </p>
    </>
  ),
};

export const Sla = () => <SettingView of={SLA} />;
