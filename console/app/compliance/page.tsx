import { hrefOf, picked, valueOf } from '../address.js';
import { counted, countText } from '../format.js';
import { LongTable } from '../parts/long-table.js';
import { ListPage } from '../parts/list-page.js';
import { SearchField } from '../parts/search-field.js';
import { Empty } from '../parts/states.js';
import { address, goWith, withQuery } from '../place.js';
import { usePages } from '../use-pages.js';
import { AttestationsView } from './attestations-view.js';
import { ControlView } from './control-view.js';
import { frameworkTitle, type Framework } from './framework.js';
import { FrameworkView } from './framework-view.js';
import { ScoreBar } from './score-bar.js';

function Frameworks() {
  const { query } = address.value;
  const { list } = usePages<Framework>(
    withQuery('/api/v1/compliance/frameworks', picked(query, ['q', 'provider', 'account_id', 'custom'])),
  );
  return (
    <>
      <div class="filter-bar menus">
        <SearchField label="Search frameworks" value={valueOf(query, 'q') ?? ''} search={(q) => goWith({ q: q || null }, 'replace')} />
        <span class="soft">{list.total !== null && counted(list.total, 'framework')}</span>
      </div>
      <LongTable
        label="frameworks"
        list={list}
        keyOf={({ framework_id }) => framework_id}
        columns={[
          {
            id: 'name',
            title: 'Framework',
            cell: (framework) => (
              <a class="title" href={hrefOf(['compliance', framework.framework_id])}>
                {frameworkTitle(framework)} {framework.custom && <small>yours</small>}
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
          { id: 'fail', title: 'Fail', width: 64, align: 'end', when: 'wide', cell: ({ fail_count }) => countText(fail_count) },
          { id: 'pass', title: 'Pass', width: 64, align: 'end', when: 'wide', cell: ({ pass_count }) => countText(pass_count) },
          { id: 'assessed', title: 'Assessed', width: 90, align: 'end', when: 'wide', cell: (row) => countText(row.assessed_controls) },
          { id: 'controls', title: 'Controls', width: 90, align: 'end', when: 'wide', cell: (row) => countText(row.total_controls) },
        ]}
        empty={
          <Empty>
            <p>No framework has this in its name.</p>
          </Empty>
        }
      />
    </>
  );
}

/** Frameworks, the controls of one, and one control. */
export function CompliancePage() {
  const [, framework, control] = address.value.path;
  if (framework === undefined) {
    const view = valueOf(address.value.query, 'view');
    return (
      <ListPage
        title="Compliance"
        tabs={[
          { title: 'Frameworks', href: hrefOf(['compliance']), isCurrent: view === null },
          { title: 'Attestations', href: hrefOf(['compliance'], { view: 'attestations' }), isCurrent: view === 'attestations' },
        ]}
      >
        {view === 'attestations' ? <AttestationsView /> : <Frameworks />}
      </ListPage>
    );
  }
  if (control === undefined) return <FrameworkView key={framework} id={framework} />;
  return <ControlView key={`${framework} ${control}`} framework={framework} id={control} />;
}
