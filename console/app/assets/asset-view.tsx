import { SEVERITIES } from '../../../schema/model.js';
import { hrefOf } from '../address.js';
import { countText, wordOf } from '../format.js';
import { OPEN_STATUSES } from '../findings/filters.js';
import { Controls } from '../findings/detail-parts.js';
import { ShortTable } from '../parts/columns.js';
import { DataTree } from '../parts/data-tree.js';
import { PageHead } from '../parts/page-head.js';
import { Section } from '../parts/section.js';
import { Answer, Partial } from '../parts/states.js';
import { Facts, Middle, Moment, SeverityMark } from '../parts/text.js';
import { entryWord } from '../paths/path.js';
import { useAsk } from '../use-ask.js';
import { assetPath, type Asset } from './asset.js';
import { BlastRadius } from './blast-radius.js';
import type { AssetContext } from './context.js';
import { History } from './history.js';
import { RelationsGraph } from './relations-graph.js';

function Identity({ asset }: { readonly asset: Asset }) {
  const { business_context: context } = asset;
  return (
    <Facts
      of={[
        ['Identifier', <span class="mono text">{asset.resource_uid}</span>],
        ['Type', asset.resource_type],
        ['Where', [asset.provider, asset.account_id, asset.region].filter(Boolean).join(' · ')],
        ['Exposure', asset.exposure && wordOf(asset.exposure)],
        ['Owner', context.owner],
        ['Environment', context.environment],
        ['Criticality', context.criticality],
        ['Data', context.data_classes.join(', ')],
        [
          'Tags',
          asset.tags &&
            Object.keys(asset.tags).length > 0 &&
            Object.entries(asset.tags).map(([name, value]) => <code class="tag" key={name}>{`${name}=${String(value)}`}</code>),
        ],
        ['First seen', <Moment time={asset.first_seen_at} />],
        ['Last seen', <Moment time={asset.last_seen_at} />],
        ['Gone since', asset.gone_at && <Moment time={asset.gone_at} />],
      ]}
    />
  );
}

const listOf = (uid: string, engine: string, count: number, severity?: string) =>
  count === 0 ? '0' : <a href={hrefOf(['findings'], { resource_uid: uid, engine, severity, status: OPEN_STATUSES })}>{countText(count)}</a>;

const OpenFindings = ({ uid, context }: { readonly uid: string; readonly context: AssetContext }) => (
  <ShortTable
    label="Open findings by engine"
    rows={context.findings}
    keyOf={({ engine }) => engine}
    columns={[
      { id: 'engine', title: 'Engine', cell: ({ engine }) => engine },
      ...SEVERITIES.map((severity) => ({
        id: severity,
        title: wordOf(severity),
        width: 72,
        align: 'end' as const,
        when: severity === 'critical' || severity === 'high' ? undefined : ('wide' as const),
        cell: (row: AssetContext['findings'][number]) => listOf(uid, row.engine, row[severity], severity),
      })),
      { id: 'total', title: 'All', width: 60, align: 'end', cell: (row) => listOf(uid, row.engine, row.total) },
    ]}
    empty={<p class="soft">Nothing is open on it.</p>}
  />
);

function Block({ title, block }: { readonly title: string; readonly block: AssetContext['identity'] }) {
  const told = Object.entries(block.item ?? {}).filter(([, value]) => value !== null);
  if (block.available && told.length === 0) return null;
  return (
    <Section title={title}>
      {block.available ? (
        <DataTree value={Object.fromEntries(told)} />
      ) : (
        <p class="soft">Its engine did not answer, or is not yours to read.</p>
      )}
    </Section>
  );
}

function Relations({ uid, relations }: { readonly uid: string; readonly relations: AssetContext['related_assets'] }) {
  if (relations.items.length === 0) return <p class="soft">No relation to another asset is known.</p>;
  return (
    <>
      <ul class="plain relations">
        {relations.items.map(({ resource_uid, kind, direction }) => (
          <li key={`${direction} ${kind} ${resource_uid}`}>
            <span class="soft">{direction === 'out' ? `${kind.replaceAll('_', ' ')} →` : `← ${kind.replaceAll('_', ' ')}`}</span>{' '}
            <a href={hrefOf(['assets', resource_uid])}>
              <Middle text={resource_uid} most={64} />
            </a>
          </li>
        ))}
      </ul>
      {relations.total > relations.items.length && (
        <p class="soft">
          {countText(relations.items.length)} of {countText(relations.total)} around {uid}.
        </p>
      )}
    </>
  );
}

/** One asset: what it is, what is wrong with it, what is around it, and what it can reach. */
export function AssetView({ uid }: { readonly uid: string }) {
  const asset = useAsk<Asset>(assetPath(uid));
  const context = useAsk<AssetContext>(`/api/v1/asset-context/${encodeURIComponent(uid)}`);
  return (
    <div class="page">
      <PageHead title={asset.body?.resource_name ?? uid} under={[{ href: hrefOf(['assets'], { sort: '-risk' }), text: 'Assets' }]}>
        {asset.body?.planned && <span class="soft">only planned</span>}
      </PageHead>
      <Answer asked={asset} what="the asset">
        {(body) => <Identity asset={body} />}
      </Answer>
      {asset.body && (
        <Section title="Relations">
          <RelationsGraph uid={uid} />
        </Section>
      )}
      <div class="cards">
        {(asset.body || !asset.error) && (
          <Answer asked={context} what="what is known around it">
            {(body) => (
              <>
                <Section title="Open findings">
                  <Partial degraded={body.degradedEngines} restricted={body.restrictedEngines} />
                  <OpenFindings uid={uid} context={body} />
                </Section>
                <Section title="Attack paths">
                  {!body.paths.available && <p class="soft">They could not be read, or are not yours to see.</p>}
                  {body.paths.available && body.paths.total === 0 && <p class="soft">No path leads to it or through it.</p>}
                  <ul class="plain">
                    {body.paths.items.map(({ path_id, severity, entry, target }) => (
                      <li key={path_id}>
                        <SeverityMark severity={severity} />{' '}
                        <a href={hrefOf(['paths', path_id])}>
                          {entryWord(entry)} → <Middle text={target} most={40} />
                        </a>
                      </li>
                    ))}
                  </ul>
                </Section>
                <Block title="Exposure" block={body.exposure} />
                <Block title="Identity" block={body.identity} />
                <Block title="Data" block={body.data} />
                <Section title="Relations in words">
                  <Relations uid={uid} relations={body.related_assets} />
                </Section>
                <Section title="Compliance">
                  <Controls compliance={body.compliance} />
                </Section>
              </>
            )}
          </Answer>
        )}
        {asset.body && (
          <>
            <BlastRadius uid={uid} />
            <History uid={uid} />
            <Section title="Configuration">
              <DataTree value={asset.body.configuration} />
            </Section>
          </>
        )}
      </div>
    </div>
  );
}
