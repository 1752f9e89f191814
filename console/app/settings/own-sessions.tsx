import { refusalFor, send } from '../api.js';
import { tell, tellProblem } from '../notices.js';
import { ShortTable } from '../parts/columns.js';
import { Section } from '../parts/section.js';
import { Answer } from '../parts/states.js';
import { Moment } from '../parts/text.js';
import { me } from '../session.js';
import { useAsk } from '../use-ask.js';

interface Session {
  readonly id: string;
  readonly tenant_id: string;
  readonly method: string;
  readonly user_agent: string;
  readonly ip_address: string;
  readonly last_used_at: string;
  readonly current: boolean;
}

/** Where one is signed in, and the end of each but this. */
export function OwnSessions() {
  const asked = useAsk<readonly Session[]>('/api/v1/users/me/sessions');
  const names = new Map(me.value?.tenants.map(({ tenant_id, name }) => [tenant_id, name]));
  const end = ({ id, user_agent }: Session) =>
    send('DELETE', `/api/v1/users/me/sessions/${encodeURIComponent(id)}`).then(
      () => {
        tell(`Ended: ${user_agent}.`);
        asked.reload();
      },
      (problem: unknown) => tellProblem(`Not ended: ${refusalFor(problem).message}.`),
    );
  return (
    <Section title="Where you are signed in">
      <Answer asked={asked} what="your sessions">
        {(sessions) => (
          <ShortTable
            label="Your sessions"
            rows={sessions}
            keyOf={({ id }) => id}
            columns={[
              { id: 'client', title: 'Client', cell: ({ user_agent }) => user_agent },
              { id: 'tenant', title: 'Tenant', width: 160, when: 'wide', cell: ({ tenant_id }) => names.get(tenant_id) ?? tenant_id },
              { id: 'from', title: 'From', width: 120, when: 'wide', cell: ({ ip_address }) => ip_address },
              { id: 'used', title: 'Last used', width: 120, cell: ({ last_used_at }) => <Moment time={last_used_at} /> },
              {
                id: 'end',
                title: 'End',
                isTitleHidden: true,
                width: 80,
                cell: (session) =>
                  session.current ? (
                    <span class="soft">this one</span>
                  ) : (
                    <button type="button" onClick={() => void end(session)}>
                      End it
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Answer>
    </Section>
  );
}
