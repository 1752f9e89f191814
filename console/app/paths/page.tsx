import { SEVERITIES } from '../../../schema/model.js';
import { hrefOf, picked, toggled, valueOf } from '../address.js';
import { findingHref } from '../findings/finding.js';
import { counted, countText, percentText } from '../format.js';
import { Choice } from '../parts/choice.js';
import { ListPage } from '../parts/list-page.js';
import { LongTable } from '../parts/long-table.js';
import { Menu } from '../parts/menu.js';
import { Empty } from '../parts/states.js';
import { Middle, SeverityMark, StateMark } from '../parts/text.js';
import { address, go, withQuery } from '../place.js';
import { usePages } from '../use-pages.js';
import { entryWord, type AttackPath } from './path.js';
import { PathView } from './path-view.js';

interface ChokePoint {
  readonly resource_uid: string;
  readonly resource_name: string | null;
  readonly cause: string;
  readonly engine: string;
  readonly finding_id: string | null;
  readonly fix: string;
  readonly effort: number;
  readonly paths_broken: number;
  readonly share: number;
}

const FILTERS = ['severity', 'provider', 'account_id', 'to', 'from', 'pattern', 'cve', 'status'];

function Paths() {
  const { path, query } = address.value;
  const { list } = usePages<AttackPath>(withQuery('/api/v1/attack-paths', picked(query, FILTERS)));
  const set = query.get('severity') ?? [];
  return (
    <>
      <div class="filter-bar menus">
        <Menu label="Severity" count={set.length}>
          {SEVERITIES.map((severity) => (
            <Choice
              key={severity}
              label={severity}
              isChosen={set.includes(severity)}
              toggle={() => go({ path, query: toggled(query, 'severity', severity) })}
            />
          ))}
        </Menu>
        <span class="soft">{list.total !== null && counted(list.total, 'path')}</span>
      </div>
      <LongTable
        label="attack paths"
        list={list}
        keyOf={({ path_id }) => path_id}
        columns={[
          { id: 'severity', title: 'Severity', width: 96, cell: ({ severity }) => <SeverityMark severity={severity} /> },
          {
            id: 'path',
            title: 'Path',
            cell: ({ path_id, entry, target, target_name }) => (
              <a class="title" href={hrefOf(['paths', path_id])} title={target}>
                {entryWord(entry)} → {target_name ?? target}
              </a>
            ),
          },
          { id: 'type', title: 'To', width: 210, when: 'roomy', cell: ({ target_type }) => <Middle text={target_type} most={28} /> },
          { id: 'tier', title: 'Tier', width: 80, when: 'wide', cell: ({ tier }) => tier },
          { id: 'steps', title: 'Steps', width: 64, align: 'end', when: 'wide', cell: ({ length }) => countText(length) },
          {
            id: 'likelihood',
            title: 'Likelihood',
            width: 90,
            align: 'end',
            when: 'wide',
            cell: ({ likelihood }) => percentText(likelihood),
          },
          { id: 'risk', title: 'Risk', width: 60, align: 'end', cell: ({ risk_score }) => countText(risk_score) },
          { id: 'status', title: 'Status', width: 120, when: 'wide', cell: ({ status }) => (status ? <StateMark state={status} /> : '–') },
        ]}
        empty={
          <Empty>
            <p>No path leads to a crown jewel, as far as is known. Crown jewels are proposed from the inventory, and set on an asset.</p>
          </Empty>
        }
      />
    </>
  );
}

function ChokePoints() {
  const { list } = usePages<ChokePoint>('/api/v1/attack-paths/choke-points');
  return (
    <LongTable
      label="choke points"
      list={list}
      keyOf={({ resource_uid, cause }) => `${resource_uid} ${cause}`}
      columns={[
        {
          id: 'where',
          title: 'Where',
          width: 240,
          cell: ({ resource_uid, resource_name }) => (
            <a href={hrefOf(['assets', resource_uid])}>
              <Middle text={resource_name ?? resource_uid} most={32} />
            </a>
          ),
        },
        {
          id: 'cause',
          title: 'Why',
          cell: ({ cause, engine, finding_id }) =>
            finding_id ? (
              <a class="title" href={findingHref({ engine, finding_id })} title={cause}>
                {cause}
              </a>
            ) : (
              <span title={cause}>{cause}</span>
            ),
        },
        { id: 'fix', title: 'Fix', when: 'roomy', cell: ({ fix }) => <span title={fix}>{fix}</span> },
        { id: 'effort', title: 'Effort', width: 64, align: 'end', when: 'wide', cell: ({ effort }) => countText(effort) },
        { id: 'broken', title: 'Paths cut', width: 90, align: 'end', cell: ({ paths_broken }) => countText(paths_broken) },
        { id: 'share', title: 'Of all risk', width: 90, align: 'end', when: 'wide', cell: ({ share }) => percentText(share) },
      ]}
      empty={
        <Empty>
          <p>No path is known that could be cut.</p>
        </Empty>
      }
    />
  );
}

/** Ways from outside to what matters most, worst first; where one fix cuts most of them; and one path by itself. */
export function PathsPage() {
  const [, id] = address.value.path;
  if (id !== undefined) return <PathView key={id} id={id} />;
  const view = valueOf(address.value.query, 'view');
  return (
    <ListPage
      title="Attack paths"
      tabs={[
        { title: 'Paths', href: hrefOf(['paths']), isCurrent: view === null },
        { title: 'Choke points', href: hrefOf(['paths'], { view: 'choke-points' }), isCurrent: view !== null },
      ]}
    >
      {view === null ? <Paths /> : <ChokePoints />}
    </ListPage>
  );
}
