import { hrefOf, toggled } from '../address.js';
import { countText, wordOf } from '../format.js';
import { Chart } from '../parts/chart.js';
import { LongTable } from '../parts/long-table.js';
import { ExportBar, ExportMenu } from '../parts/exports.js';
import { ListPage } from '../parts/list-page.js';
import { Answer, Empty } from '../parts/states.js';
import { StateMark } from '../parts/text.js';
import { address, go, withQuery } from '../place.js';
import { useAsk } from '../use-ask.js';
import { usePages } from '../use-pages.js';
import { frameworkPath, frameworkTitle, type Control, type Framework } from './framework.js';

interface Report extends Framework {
  readonly trend: readonly { readonly date: string; readonly score: number }[];
}

/** The formats that a framework can be exported in. */
const FORMATS = ['csv', 'xlsx', 'json', 'jsonl', 'oscal'];

const STATUSES: readonly Control['status'][] = ['FAIL', 'PASS', 'MANUAL', 'NOT_ASSESSED'];

/** A framework's score and its controls. */
export function FrameworkView({ id }: { readonly id: string }) {
  const { path, query } = address.value;
  const report = useAsk<Report>(`${frameworkPath(id)}/report`);
  const status = query.get('status') ?? [];
  const { list } = usePages<Control>(withQuery(`${frameworkPath(id)}/controls`, new Map([['status', status]])));
  return (
    <ListPage
      title={report.body ? frameworkTitle(report.body) : id}
      under={[{ href: hrefOf(['compliance']), text: 'Compliance' }]}
      head={<ExportMenu of={{ framework: { framework_id: id } }} formats={FORMATS} />}
    >
      <ExportBar />
      <Answer asked={report} what="the framework" rows={1}>
        {({ score, assessed_controls, pass_count, fail_count, total_controls, manual_controls, trend }) => (
          <>
            <p class="marks">
              <span>
                <b class="big">{assessed_controls > 0 ? score : '–'}</b> % of {countText(assessed_controls)} assessed controls pass
              </span>
              <span>{countText(fail_count)} fail</span>
              <span>{countText(pass_count)} pass</span>
              <span>{countText(manual_controls)} by hand</span>
              <span>{countText(total_controls)} in all</span>
            </p>
            {trend.length > 1 && (
              <details>
                <summary>How the score went</summary>
                <Chart
                  title="Score, by day"
                  days={trend.map(({ date }) => date)}
                  series={[{ label: 'Score', colour: '--accent', values: trend.map((day) => day.score) }]}
                />
              </details>
            )}
          </>
        )}
      </Answer>
      <div class="filter-bar menus" role="group" aria-label="Status">
        {STATUSES.map((one) => (
          <button
            key={one}
            type="button"
            class="menu"
            aria-pressed={status.includes(one)}
            onClick={() => go({ path, query: toggled(query, 'status', one) })}
          >
            <StateMark state={one} />
          </button>
        ))}
      </div>
      <LongTable
        label="controls"
        list={list}
        keyOf={({ control_id }) => control_id}
        columns={[
          {
            id: 'id',
            title: 'Control',
            width: 110,
            cell: ({ control_id }) => <a href={hrefOf(['compliance', id, control_id])}>{control_id}</a>,
          },
          { id: 'title', title: 'What it asks', cell: ({ title }) => <span title={title}>{title}</span> },
          { id: 'section', title: 'Section', width: 220, when: 'roomy', cell: ({ section }) => <span title={section}>{section}</span> },
          { id: 'status', title: 'Status', width: 130, cell: (control) => <StateMark state={control.status} /> },
          {
            id: 'failed',
            title: 'Failed',
            width: 70,
            align: 'end',
            when: 'wide',
            cell: ({ failed_results }) => countText(failed_results),
          },
          {
            id: 'passed',
            title: 'Passed',
            width: 70,
            align: 'end',
            when: 'wide',
            cell: ({ passed_results }) => countText(passed_results),
          },
        ]}
        empty={
          <Empty>
            <p>No control is {status.map((one) => wordOf(one).toLowerCase()).join(' or ')}.</p>
          </Empty>
        }
      />
    </ListPage>
  );
}
