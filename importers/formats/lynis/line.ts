import type { Severity } from '../../../schema/model.js';
import { hostItems } from '../../normalize/host-finding.js';
import { shortHash } from '../../normalize/identity.js';
import type { ReportItems } from '../../normalize/observation.js';
import { compact } from '../../readers/json/fields.js';
import { BrokenRecord } from '../../readers/record.js';
import type { KeyValue } from '../../readers/lines/key-value.js';
import type { ImportItem } from '../../types.js';
import type { LynisHost } from './host.js';

/** Lists of what is to be mended -> how bad it is. Lynis itself knows no other ranks. */
const SEVERITIES: Readonly<Record<string, Severity>> = { warning: 'medium', suggestion: 'low' };

/** Turns a line into its rule and observation; null for one that tells a fact. */
export function readLine({ key, value, isList }: KeyValue, position: string, host: LynisHost, items: ReportItems): ImportItem[] | null {
  if (!isList) return null;
  if (key === 'vulnerable_package') return vulnerablePackage(value, position, host, items);
  const severity = Object.hasOwn(SEVERITIES, key) ? SEVERITIES[key] : undefined;
  if (severity === undefined) return null;
  const [test = '', text, details, solution] = value.split('|').map((part) => part.trim());
  if (!/^[A-Z]+(?:-[\w:]+)?$/i.test(test)) throw new BrokenRecord(`${key}[] should begin with the id of a test`);
  if (text === undefined || text === '') throw new BrokenRecord(`${key}[] has no text`);
  // a test may find several things, each with a text of its own; where it names what it saw, that tells them apart
  return hostItems(
    {
      source: 'lynis',
      engine: 'agent',
      ruleId: test,
      title: text,
      severity,
      place: host.place,
      discriminator: shortHash(`${text}|${told(details) ?? ''}`),
      detail: told(details),
      guidance: told(solution)?.replace(/^text:/, ''),
      urls: test.includes('-') ? [`https://cisofy.com/lynis/controls/${test}/`, told(solution)?.replace(/^url:/, '')] : [],
      evidence: compact({
        host: host.place.resource_uid,
        benchmark: 'Lynis',
        section: /^[A-Z]+/.exec(test)?.[0],
        check_result: key,
        fix_text: told(solution)?.replace(/^text:/, ''),
        lynis_version: host.version,
      }),
      position,
    },
    items,
  );
}

function vulnerablePackage(value: string, position: string, host: LynisHost, items: ReportItems): ImportItem[] {
  const [name = '', version] = value.split('|').map((part) => part.trim());
  if (name === '') throw new BrokenRecord('vulnerable_package[] names no package');
  return hostItems(
    {
      source: 'lynis',
      engine: 'vulnerability',
      ruleId: 'vulnerable-package',
      ruleTitle: 'A package has known vulnerabilities',
      title: `${name} has known vulnerabilities`,
      severity: 'high',
      place: host.place,
      discriminator: name,
      guidance: `Update ${name}.`,
      evidence: compact({ host: host.place.resource_uid, package_name: name, installed_version: told(version) }),
      position,
    },
    items,
  );
}

const told = (text: string | undefined): string | undefined => (text === undefined || text === '' || text === '-' ? undefined : text);
