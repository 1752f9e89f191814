import { hrefOf, picked, valueOf } from '../address.js';
import { countText } from '../format.js';
import { LongTable } from '../parts/long-table.js';
import { PageHead } from '../parts/page-head.js';
import { SearchField } from '../parts/search-field.js';
import { Empty } from '../parts/states.js';
import { address, goWith, withQuery } from '../place.js';
import { usePages } from '../use-pages.js';
import { ControlView } from './control-view.js';
import type { Framework } from './framework.js';
import { FrameworkView } from './framework-view.js';
import { ScoreBar } from './score-bar.js';

function Frameworks() {
  const { query } = address.value;
  const { list, reload } = usePages<Framework>(
    withQuery('/api/v1/compliance/frameworks', picked(query, ['q', 'provider', 'account_id', 'custom'])),
  );
  return (
    <div class="list-page">
      <div class="list">
        <PageHead title="Compliance">
          <span class="count">{list.total !== null && countText(list.total)}</span>
        </PageHead>
        <div class="filter-bar menus">
          <SearchField label="Search frameworks" value={valueOf(query, 'q') ?? ''} search={(q) => goWith({ q: q || null }, 'replace')} />
        </div>
        <LongTable
          label="frameworks"
          list={list}
          reload={reload}
          keyOf={({ framework_id }) => framework_id}
          columns={[
            {
              id: 'name',
              title: 'Framework',
              cell: ({ framework_id, framework_name, version, custom }) => (
                <a class="title" href={hrefOf(['compliance', framework_id])}>
                  {framework_name} {version !== '-' && version} {custom && <small>yours</small>}
                </a>
              ),
            },
            { id: 'clouds', title: 'Clouds', width: 180, when: 'roomy', cell: ({ providers }) => providers.join(', ') },
            {
              id: 'score',
              title: 'Score',
              width: 150,
              cell: ({ score, assessed_controls }) =>
                assessed_controls > 0 ? <ScoreBar score={score} /> : <span class="soft">not assessed</span>,
            },
            { id: 'fail', title: 'Fail', width: 64, align: 'end', cell: ({ fail_count }) => countText(fail_count) },
            { id: 'pass', title: 'Pass', width: 64, align: 'end', cell: ({ pass_count }) => countText(pass_count) },
            { id: 'assessed', title: 'Assessed', width: 90, align: 'end', when: 'wide', cell: (row) => countText(row.assessed_controls) },
            { id: 'controls', title: 'Controls', width: 90, align: 'end', when: 'wide', cell: (row) => countText(row.total_controls) },
          ]}
          empty={
            <Empty>
              <p>No framework has this in its name.</p>
            </Empty>
          }
        />
      </div>
    </div>
  );
}

/** Frameworks, the controls of one, and one control. */
export function CompliancePage() {
  const [, framework, control] = address.value.path;
  if (framework === undefined) return <Frameworks />;
  if (control === undefined) return <FrameworkView key={framework} id={framework} />;
  return <ControlView key={`${framework} ${control}`} framework={framework} id={control} />;
}
