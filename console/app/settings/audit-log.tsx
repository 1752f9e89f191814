import { picked, valueOf } from '../address.js';
import { asText, filterBody } from '../filter-body.js';
import { countText } from '../format.js';
import { Choice } from '../parts/choice.js';
import { ExportBar, ExportMenu } from '../parts/exports.js';
import { LongTable } from '../parts/long-table.js';
import { Menu } from '../parts/menu.js';
import { Empty } from '../parts/states.js';
import { Middle, Moment } from '../parts/text.js';
import { address, goWith, withQuery } from '../place.js';
import { usePages } from '../use-pages.js';
import { AuditVerification } from './audit-verification.js';

interface Entry {
  readonly seq: number;
  readonly timestamp: string;
  readonly actor_email: string;
  readonly action: string;
  readonly target: string | null;
  readonly result: string;
  readonly ip_address: string | null;
}

const FILTERS = ['action', 'actor', 'target', 'result', 'after', 'before'];
/** Actions that are looked for most; another one may stand in the address. */
const ACTIONS = [
  'user.login',
  'user.invite',
  'role.change',
  'finding.status',
  'finding.assign',
  'scan.trigger',
  'apikey.create',
  'tenant.update',
];

const READINGS = { result: asText, after: asText, before: asText };

/** What was done in the tenant, newest first. */
export function AuditLog() {
  const { query } = address.value;
  const { list } = usePages<Entry>(withQuery('/api/v1/audit-logs', picked(query, FILTERS)));
  const action = valueOf(query, 'action');
  return (
    <>
      <div class="filter-bar menus">
        <Menu label="Action" count={action ? 1 : 0}>
          {[...new Set([...ACTIONS, ...(action ? [action] : [])])].map((one) => (
            <Choice key={one} label={one} isChosen={action === one} toggle={() => goWith({ action: action === one ? null : one })} />
          ))}
        </Menu>
        <ExportMenu of={{ audit_log: filterBody(query, FILTERS, READINGS) }} formats={['csv', 'xlsx', 'jsonl', 'ocsf']} />
        <span class="soft">{list.total !== null && `${countText(list.total)} entries`}</span>
      </div>
      <AuditVerification />
      <ExportBar />
      <LongTable
        label="audit log"
        list={list}
        keyOf={({ seq }) => String(seq)}
        columns={[
          { id: 'when', title: 'When', width: 184, cell: ({ timestamp }) => <Moment time={timestamp} isExact /> },
          { id: 'who', title: 'Who', width: 200, when: 'wide', cell: ({ actor_email }) => actor_email },
          { id: 'action', title: 'Action', width: 170, cell: (entry) => entry.action },
          { id: 'target', title: 'What', when: 'wide', cell: ({ target }) => <Middle text={target ?? ''} most={56} /> },
          { id: 'result', title: 'Result', width: 90, when: 'wide', cell: ({ result }) => result },
          { id: 'from', title: 'From', width: 130, when: 'roomy', cell: ({ ip_address }) => ip_address ?? '' },
        ]}
        empty={
          <Empty>
            <p>Nothing of the kind was done.</p>
          </Empty>
        }
      />
    </>
  );
}
