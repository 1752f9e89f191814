import type { Severity } from '../../../schema/model.js';
import { daysAgo } from '../format.js';
import { Chart } from '../parts/chart.js';
import { Answer, Empty, Partial } from '../parts/states.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';

type Counts = Readonly<Record<Severity, number>>;

/** `GET /dashboard/trends`. */
interface Trends {
  readonly days: readonly { readonly date: string; readonly posture_score: number | null; readonly open: Counts }[];
  readonly restrictedEngines: readonly string[];
}

/** How the score and what is open went, over 90 days. */
export function Trend() {
  const [from, to] = [daysAgo(90).slice(0, 10), daysAgo(0).slice(0, 10)];
  const trends = useAsk<Trends>(can('reports:read') ? `/api/v1/dashboard/trends?from=${from}` : null);
  return (
    <Answer asked={trends} what="the trend" needs="reports:read" rows={4}>
      {({ days, restrictedEngines }) =>
        days.length < 2 ? (
          <Empty>
            <p>A trend takes two days. The score and what is open are recorded each day, and drawn here from tomorrow on.</p>
          </Empty>
        ) : (
          <>
            <Chart
              title="Open critical and high, last 90 days"
              days={days.map(({ date }) => date)}
              span={[from, to]}
              series={[
                { label: 'Critical', colour: '--critical', values: days.map(({ open }) => open.critical) },
                { label: 'High', colour: '--high', values: days.map(({ open }) => open.high) },
              ]}
            />
            <Chart
              title="Posture score, last 90 days"
              days={days.map(({ date }) => date)}
              span={[from, to]}
              series={[{ label: 'Score', colour: '--accent', values: days.map(({ posture_score }) => posture_score) }]}
            />
            <Partial restricted={restrictedEngines} />
          </>
        )
      }
    </Answer>
  );
}
