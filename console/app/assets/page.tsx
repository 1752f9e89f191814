import { ENVIRONMENTS, EXPOSURE_LEVELS, PROVIDERS } from '../../../schema/model.js';
import { hrefOf, picked, toggled, valueOf, withValues } from '../address.js';
import { asFlag, asNumber, asText, filterBody } from '../filter-body.js';
import { countText, wordOf } from '../format.js';
import { OPEN_STATUSES } from '../findings/filters.js';
import { Choice } from '../parts/choice.js';
import type { Chip } from '../parts/chip.js';
import { ExportBar, ExportMenu } from '../parts/exports.js';
import { FilterChips } from '../parts/filter-chips.js';
import { ListPage } from '../parts/list-page.js';
import { LongTable } from '../parts/long-table.js';
import { Menu } from '../parts/menu.js';
import { SearchField } from '../parts/search-field.js';
import { Empty } from '../parts/states.js';
import { CountLink, Middle, Moment } from '../parts/text.js';
import { address, go, goWith, withQuery } from '../place.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import { usePages } from '../use-pages.js';
import { ASSET_FILTERS, type Asset } from './asset.js';
import { AssetView } from './asset-view.js';

interface Summary {
  readonly by_type?: readonly { readonly value: string; readonly count: number }[];
}

const CHOICES: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['provider', PROVIDERS],
  ['exposure', EXPOSURE_LEVELS],
  ['environment', ENVIRONMENTS],
];

const EXPORTED = Object.keys(ASSET_FILTERS).filter((name) => name !== 'gone');
const READINGS = { q: asText, risk_min: asNumber, planned: asFlag };

function ChoiceMenu({ name, values }: { readonly name: string; readonly values: readonly string[] }) {
  const { path, query } = address.value;
  const set = query.get(name) ?? [];
  const all = [...new Set([...values, ...set])];
  return (
    <Menu label={ASSET_FILTERS[name] ?? name} count={set.length}>
      {all.map((value) => (
        <Choice key={value} label={value} isChosen={set.includes(value)} toggle={() => go({ path, query: toggled(query, name, value) })} />
      ))}
    </Menu>
  );
}

function AssetFilters() {
  const { path, query } = address.value;
  const summary = useAsk<Summary>('/api/v1/inventory/summary');
  const types = (summary.body?.by_type ?? []).map(({ value }) => value);
  const chips: Chip[] = [...picked(query, Object.keys(ASSET_FILTERS))].flatMap(([name, values]) =>
    values.map((value) => ({ name, value, without: withValues(query, { [name]: values.filter((one) => one !== value) }) })),
  );
  return (
    <div class="filter-bar">
      <div class="menus">
        <SearchField
          label="Search names and identifiers"
          value={valueOf(query, 'q') ?? ''}
          search={(q) => goWith({ q: q || null }, 'replace')}
        />
        {CHOICES.filter(([name]) => name !== 'exposure' || can('network:read')).map(([name, values]) => (
          <ChoiceMenu key={name} name={name} values={values} />
        ))}
        <ChoiceMenu name="resource_type" values={types} />
      </div>
      <FilterChips
        chips={chips}
        wordFor={(name) => ASSET_FILTERS[name] ?? name}
        take={({ without }) => go({ path, query: without })}
        clear={() => go({ path, query: picked(query, ['sort']) })}
      />
    </div>
  );
}

function AssetList() {
  const { query } = address.value;
  const { list } = usePages<Asset>(withQuery('/api/v1/inventory/assets', picked(query, [...Object.keys(ASSET_FILTERS), 'sort'])));
  return (
    <ListPage
      title="Assets"
      count={list.total}
      head={
        // a file cannot be of what is gone
        query.has('gone') ? null : (
          <ExportMenu of={{ assets: filterBody(query, EXPORTED, READINGS) }} formats={['csv', 'xlsx', 'jsonl', 'pdf']} />
        )
      }
    >
      <AssetFilters />
      <ExportBar />
      <LongTable
        label="assets"
        list={list}
        keyOf={({ resource_uid }) => resource_uid}
        order={valueOf(query, 'sort')}
        sort={(order) => goWith({ sort: order })}
        columns={[
          {
            id: 'name',
            title: 'Asset',
            cell: (asset) => (
              <a class="title" href={hrefOf(['assets', asset.resource_uid])} title={asset.resource_uid}>
                {asset.resource_name ?? asset.resource_uid}
              </a>
            ),
          },
          { id: 'type', title: 'Type', width: 230, when: 'wide', cell: ({ resource_type }) => <Middle text={resource_type} most={30} /> },
          { id: 'provider', title: 'Cloud', width: 80, when: 'wide', cell: ({ provider }) => provider },
          {
            id: 'account',
            title: 'Account',
            width: 140,
            when: 'roomy',
            cell: ({ account_id }) => <Middle text={account_id ?? '–'} most={16} />,
          },
          { id: 'region', title: 'Region', width: 120, when: 'roomy', cell: ({ region }) => region },
          { id: 'exposure', title: 'Exposure', width: 100, when: 'wide', cell: ({ exposure }) => (exposure ? wordOf(exposure) : '–') },
          { id: 'risk', title: 'Risk', width: 70, align: 'end', sort: 'risk', cell: ({ risk }) => countText(risk.max) },
          {
            id: 'open',
            title: 'Open',
            width: 76,
            align: 'end',
            sort: 'open_findings',
            cell: ({ resource_uid, open_findings }) => (
              <CountLink count={open_findings.total} href={hrefOf(['findings'], { resource_uid, status: OPEN_STATUSES })} />
            ),
          },
          {
            id: 'seen',
            title: 'Last seen',
            width: 120,
            when: 'roomy',
            sort: 'last_seen_at',
            cell: ({ last_seen_at }) => <Moment time={last_seen_at} />,
          },
        ]}
        empty={
          <Empty>
            <p>
              No asset is known under these filters. <a href={hrefOf(['scans'])}>Inventories and most reports</a> bring some.
            </p>
          </Empty>
        }
      />
    </ListPage>
  );
}

/** What there is, and one asset by itself. */
export function AssetsPage() {
  const [, uid] = address.value.path;
  return uid === undefined ? <AssetList /> : <AssetView key={uid} uid={uid} />;
}
