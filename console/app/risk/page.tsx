import type { Provider } from '../../../schema/model.js';
import { hrefOf } from '../address.js';
import { counted, countText, moneyText, percentText, wordOf } from '../format.js';
import { Chart } from '../parts/chart.js';
import { LongTable } from '../parts/long-table.js';
import { PageHead } from '../parts/page-head.js';
import { Section } from '../parts/section.js';
import { Answer, Empty, Partial } from '../parts/states.js';
import { Middle, Moment } from '../parts/text.js';
import { useAsk } from '../use-ask.js';
import { usePages } from '../use-pages.js';
import { Drivers, type Cause } from './drivers.js';
import { Jewels } from './jewels.js';

/** `GET /risk/summary`. */
interface RiskSummary {
  readonly currency: string;
  readonly draws: number;
  readonly statistics: {
    readonly any_loss: number;
    readonly mean: number;
    readonly median: number;
    readonly low: number;
    readonly high: number;
    readonly exceedance: readonly { readonly probability: number; readonly loss: number }[];
  } | null;
  readonly change: number | null;
  readonly jewels: number;
  readonly without_figures: number;
  readonly paths: number;
  readonly drivers: readonly Cause[];
  readonly at: string | null;
  readonly restrictedEngines: readonly string[];
}

interface Scenario {
  readonly resource_uid: string;
  readonly resource_name: string | null;
  readonly provider: Provider | null;
  readonly tier: string;
  readonly entry: string;
  readonly likelihood: number;
  readonly band: string;
  readonly expected_loss: number | null;
  readonly paths: number;
}

function Figures({ summary }: { readonly summary: RiskSummary }) {
  const { statistics, currency, change, jewels, without_figures, paths, drivers, at, draws, restrictedEngines } = summary;
  // without figures every draw is a year without a loss, which says nothing
  if (!statistics || (statistics.high === 0 && without_figures === jewels))
    return (
      <Empty>
        <p>
          There are no figures yet. They follow from attack paths to crown jewels that have a value: paths lead to{' '}
          {counted(jewels, 'crown jewel')}, {countText(without_figures)} of them without one. A value is given below, by a decision on the
          jewel.
        </p>
      </Empty>
    );
  const curve = [...statistics.exceedance].sort((one, other) => one.loss - other.loss);
  return (
    <>
      <Partial restricted={restrictedEngines} />
      <div class="tiles">
        <div class="tile">
          <h2>Expected loss a year</h2>
          <p class="big">{moneyText(statistics.mean, currency)}</p>
          {change !== null && (
            <small>
              {change > 0 ? '+' : ''}
              {moneyText(change, currency)} since the reckoning before
            </small>
          )}
        </div>
        <div class="tile">
          <h2>Nine years of ten between</h2>
          <p class="big">
            {moneyText(statistics.low, currency)} – {moneyText(statistics.high, currency)}
          </p>
        </div>
        <div class="tile">
          <h2>Any loss within a year</h2>
          <p class="big">{percentText(statistics.any_loss)}</p>
        </div>
        <div class="tile">
          <h2>It rests on</h2>
          <p>
            <a href={hrefOf(['paths'])}>{countText(paths)}</a> paths to {countText(jewels)} jewels
          </p>
          <p class="soft">
            {countText(without_figures)} without figures; {countText(draws)} draws, <Moment time={at} />
          </p>
        </div>
      </div>
      <div class="cards">
        <Section title="Loss exceedance">
          <Chart
            title="Chance that a year's loss is higher than this"
            points={curve.map(({ loss }) => loss)}
            series={[{ label: 'Chance', colour: '--accent', values: curve.map(({ probability }) => probability * 100) }]}
            show={{ x: (value) => moneyText(value, currency), y: (value) => `${Math.round(value)} %`, first: 'Loss' }}
          />
        </Section>
        <Section title="What drives it">
          <Drivers drivers={drivers} currency={currency} />
        </Section>
      </div>
    </>
  );
}

/** What could be lost within a year, in money, and what drives it. */
export function RiskPage() {
  const summary = useAsk<RiskSummary>('/api/v1/risk/summary');
  const { list } = usePages<Scenario>('/api/v1/risk/scenarios');
  const currency = summary.body?.currency ?? '';
  return (
    <div class="page">
      <PageHead title="Risk">
        <a class="button" href={hrefOf(['settings', 'risk'])}>
          Figures
        </a>
      </PageHead>
      <Answer asked={summary} what="the risk in figures">
        {(body) => <Figures summary={body} />}
      </Answer>
      <Jewels currency={currency} />
      <Section title="Scenarios">
        <div class="bounded">
          <LongTable
            label="scenarios"
            list={list}
            keyOf={({ resource_uid, entry }) => `${entry} ${resource_uid}`}
            columns={[
              {
                id: 'jewel',
                title: 'Crown jewel',
                cell: ({ resource_uid, resource_name }) => (
                  <a href={hrefOf(['assets', resource_uid])}>
                    <Middle text={resource_name ?? resource_uid} most={40} />
                  </a>
                ),
              },
              { id: 'entry', title: 'By way of', width: 160, when: 'wide', cell: ({ entry }) => wordOf(entry) },
              { id: 'tier', title: 'Tier', width: 80, when: 'wide', cell: ({ tier }) => tier },
              { id: 'band', title: 'Band', width: 100, cell: ({ band }) => wordOf(band) },
              { id: 'likelihood', title: 'Likelihood', width: 90, align: 'end', cell: ({ likelihood }) => percentText(likelihood) },
              {
                id: 'paths',
                title: 'Paths',
                width: 64,
                align: 'end',
                when: 'wide',
                cell: ({ resource_uid, paths }) => <a href={hrefOf(['paths'], { to: resource_uid })}>{countText(paths)}</a>,
              },
              {
                id: 'loss',
                title: 'Expected loss',
                width: 120,
                align: 'end',
                cell: ({ expected_loss }) => moneyText(expected_loss, currency),
              },
            ]}
            empty={
              <Empty>
                <p>No scenario is known: no path leads to a crown jewel.</p>
              </Empty>
            }
          />
        </div>
      </Section>
    </div>
  );
}
